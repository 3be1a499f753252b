import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  type Sandbox,
  type SandboxOptions,
  type SandboxValidator,
  startSandbox,
} from '../../../sandbox/sandbox.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import {
  type CanonicalValidatorSet,
  makeCanonicalValidatorSet,
} from '../../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import { onCleanup } from '../harness/cleanup.js';
import { TestService } from '../harness/service.js';
import { verifySignedMessage } from '../signatures/verify-signed-message.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';

/** Real processes of the service in a sandbox that has the internet's distances, gaps and manners. */

const QUORUM = 67;
/** As many as show a fault. */
export const VALIDATORS = 40;

export async function startInternet(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    internet: true,
    validators: VALIDATORS,
    blockIntervalMs: 0,
    ...options,
  });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

/** The API with the connections to the validators in its own process. */
export function startHosted(sandbox: Sandbox): Promise<TestService> {
  return TestService.start({ nodeUrl: sandbox.url, isHosted: true });
}

export function newMessage(sandbox: Sandbox, sourceChainId = sandbox.cChainId): string {
  return toHex(
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sourceChainId),
      payload: packHash({ hash: randomBytes(32) }),
    }),
  );
}

export async function setOf(sandbox: Sandbox, subnetId = PRIMARY_NETWORK_ID): Promise<CanonicalValidatorSet> {
  const rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: NODE_PATIENCE_MS, attempts: 20 });
  onCleanup(() => rpc.close());
  return makeCanonicalValidatorSet(
    await new PlatformClient(rpc).getValidatorsAt({ subnetId, height: 'proposed' }),
  );
}

/** A message that nobody has signed yet; what is answered holds at the quorum, as the reference implementation finds. */
export async function sign(service: TestService, sandbox: Sandbox, validatorSet?: CanonicalValidatorSet) {
  const answer = await service.aggregate({ message: newMessage(sandbox), quorumPercentage: QUORUM });
  expect(answer).toMatchObject({ status: 201 });
  return verifySignedMessage(answer.body, {
    networkId: sandbox.networkId,
    validatorSet: validatorSet ?? (await setOf(sandbox)),
    quorumPercentage: QUORUM,
  });
}

export const isConnected = ({ clients }: SandboxValidator): boolean => clients.length > 0;
