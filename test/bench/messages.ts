import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { packJustification } from '../../src/avalanche/warp/justification.js';
import { packL1ValidatorRegistration } from '../../src/avalanche/warp/message/l1-validator-registration.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../src/avalanche/warp/message/register-l1-validator.js';
import { makePChainMessage } from '../../src/avalanche/warp/p-chain-message.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';

const NODE_TIMEOUT_MS = 60_000;

/** Body of an aggregation request, in the words of our API. */
export const BenchRequestSchema = z.object({ message: z.string(), justification: z.string().optional() });
export type BenchRequest = z.infer<typeof BenchRequestSchema>;

/** Each call makes a request that nobody has made before. */
export type RequestMaker = () => BenchRequest;

/** Hashes of C-chain blocks, which may begin with `prefix`: real nodes would only sign those that they accepted, the sandbox most. */
export async function blockHashRequests(nodeUrl: string, prefix = ''): Promise<RequestMaker> {
  const rpc = new JsonRpcClient({ urls: [nodeUrl], timeoutMs: NODE_TIMEOUT_MS });
  const info = new InfoClient(rpc);
  const networkId = await info.getNetworkId();
  const sourceChainId = idFromString(await info.getBlockchainId({ alias: 'C' }));
  rpc.close();
  const start = Buffer.from(prefix, 'hex');
  return () => {
    const hash = Buffer.concat([start, randomBytes(32 - start.length)]);
    return { message: toHex(packUnsignedMessage({ networkId, sourceChainId, payload: packHash({ hash }) })) };
  };
}

/** 2020-01-01, long over. */
const PAST_EXPIRY = 1_577_836_800n;

/** "This registration will never happen": P-chain nodes sign it for any expired one, so there are as many as one likes. */
export async function expiredRegistrationRequests(nodeUrl: string): Promise<RequestMaker> {
  const rpc = new JsonRpcClient({ urls: [nodeUrl], timeoutMs: NODE_TIMEOUT_MS });
  const networkId = await new InfoClient(rpc).getNetworkId();
  rpc.close();
  const nobody = { threshold: 0, addresses: [] };
  return () => {
    const registration = packRegisterL1Validator({
      subnetId: randomBytes(32),
      nodeId: randomBytes(20),
      blsPublicKey: randomBytes(48),
      expiry: PAST_EXPIRY,
      remainingBalanceOwner: nobody,
      disableOwner: nobody,
      weight: 1n,
    });
    const l1Message = packL1ValidatorRegistration({
      validationId: validationIdOfRegistration(registration),
      registered: false,
    });
    return {
      message: toHex(packUnsignedMessage(makePChainMessage({ networkId, l1Message }))),
      justification: toHex(packJustification({ kind: 'registerL1ValidatorMessage', message: registration })),
    };
  };
}
