import { toHex } from '../../src/avalanche/ids/hex.js';
import { packJustification } from '../../src/avalanche/warp/justification.js';
import { packL1ValidatorRegistration } from '../../src/avalanche/warp/message/l1-validator-registration.js';
import { packL1ValidatorWeight } from '../../src/avalanche/warp/message/l1-validator-weight.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../src/avalanche/warp/message/register-l1-validator.js';
import { packSubnetToL1Conversion } from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { makePChainMessage } from '../../src/avalanche/warp/p-chain-message.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { deriveBytes } from '../derived-keys.js';
import type { World } from './world.js';

/** Ready to be sent to a signature aggregator; hex without 0x. */
export interface ExampleMessage {
  readonly message: string;
  readonly justification: string;
}

/** 2020-01-01, long over. */
const PAST_EXPIRY = 1_577_836_800n;

/** Messages that the sandbox's validators sign in its first state. `label` makes different ones of the EVM kinds. */
export function makeExamples(world: World, label: string | number = 'example') {
  const { networkId, cChainId, l1, history } = world;
  const expired = packRegisterL1Validator({
    subnetId: l1.subnetId,
    nodeId: deriveBytes('somebody else').slice(0, 20),
    blsPublicKey: history.retired.publicKey,
    expiry: PAST_EXPIRY,
    remainingBalanceOwner: { threshold: 0, addresses: [] },
    disableOwner: { threshold: 0, addresses: [] },
    weight: 1n,
  });
  const sender = deriveBytes('sender').slice(0, 20);
  const call = packAddressedCall({ sourceAddress: sender, payload: Buffer.from(String(label)) });
  const fromP = (l1Message: Uint8Array, justification: Uint8Array = new Uint8Array()): ExampleMessage => ({
    message: toHex(packUnsignedMessage(makePChainMessage({ networkId, l1Message }))),
    justification: toHex(justification),
  });
  const fromEvm = (sourceChainId: Uint8Array, payload: Uint8Array): ExampleMessage => ({
    message: toHex(packUnsignedMessage({ networkId, sourceChainId, payload })),
    justification: '',
  });
  return {
    cChainBlockHash: fromEvm(cChainId, packHash({ hash: deriveBytes('block', label) })),
    cChainCall: fromEvm(cChainId, call),
    l1Call: fromEvm(l1.blockchainId, call),
    subnetToL1Conversion: fromP(packSubnetToL1Conversion({ id: l1.conversionId }), l1.subnetId),
    l1ValidatorRegistered: fromP(
      packL1ValidatorRegistration({ validationId: history.joined.validationId, registered: true }),
    ),
    l1ValidatorWeight: fromP(
      packL1ValidatorWeight({
        validationId: history.weightChanged.validationId,
        nonce: history.weightChanged.minNonce - 1n,
        weight: history.weightChanged.weight,
      }),
    ),
    l1ValidatorRemoved: fromP(
      packL1ValidatorRegistration({ validationId: history.retired.validationId, registered: false }),
      packJustification({
        kind: 'convertSubnetToL1Tx',
        subnetId: l1.subnetId,
        index: l1.founders.indexOf(history.retired),
      }),
    ),
    l1ValidatorExpired: fromP(
      packL1ValidatorRegistration({ validationId: validationIdOfRegistration(expired), registered: false }),
      packJustification({ kind: 'registerL1ValidatorMessage', message: expired }),
    ),
  } as const satisfies Record<string, ExampleMessage>;
}

export type Examples = ReturnType<typeof makeExamples>;
