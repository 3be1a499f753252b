import { packBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { packWith, parseWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';
import {
  bytes,
  hexBytes,
  id,
  list,
  struct,
  text,
  uint32,
  uint64,
  variants,
  type ValueOf,
} from '../../../src/avalanche/platformvm/codec/field.js';
import {
  credential,
  pChainOwner,
  proofOfPossession,
  transferableInput,
  transferableOutput,
} from '../../../src/avalanche/platformvm/codec/fields.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';

/** The number that the transaction would get: the codec's next. */
export const CREATE_L1_TYPE_ID = 43;

const UINT32_BYTES = 4;
const VERSION_BYTES = 2;

const chain = struct({ chainName: text, vmId: id, fxIds: list(id), genesisData: bytes });
const validator = struct({
  nodeId: hexBytes,
  weight: uint64,
  balance: uint64,
  signer: proofOfPossession,
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
});

/** A transaction as ACP-191 proposes it, as a codec of the next upgrade would have it: one entry in the table of transactions. */
const createL1 = struct({
  unsigned: variants('transaction', {
    CreateL1: [
      CREATE_L1_TYPE_ID,
      {
        networkId: uint32,
        blockchainId: id,
        outputs: list(transferableOutput),
        inputs: list(transferableInput),
        memo: bytes,
        chains: list(chain),
        managerChainId: id,
        managerAddress: bytes,
        validators: list(validator),
      },
    ],
  }),
  credentials: list(credential),
});

type CreateL1 = ValueOf<typeof createL1>;

const EXAMPLE: CreateL1 = {
  unsigned: {
    type: 'CreateL1',
    networkId: 12345,
    blockchainId: PRIMARY_NETWORK,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(),
    chains: [{ chainName: 'first', vmId: 'ab'.repeat(32), fxIds: [], genesisData: Uint8Array.of(1, 2, 3) }],
    managerChainId: 'cd'.repeat(32),
    managerAddress: new Uint8Array(20).fill(7),
    validators: [
      {
        nodeId: '11'.repeat(20),
        weight: 100n,
        balance: 1_000_000_000n,
        signer: { publicKey: new Uint8Array(48).fill(1), proofOfPossession: new Uint8Array(96).fill(2) },
        remainingBalanceOwner: { threshold: 1, addresses: ['22'.repeat(20)] },
        deactivationOwner: { threshold: 1, addresses: ['33'.repeat(20)] },
      },
    ],
  },
  credentials: [],
};

/** With the codec version in front. */
export function createL1Bytes(): Uint8Array {
  return packWith(createL1, EXAMPLE);
}

/** Throws PlatformVmError. */
export function parseCreateL1(signedBytes: Uint8Array): CreateL1 {
  return parseWith('transaction', signedBytes, createL1.unpack);
}

/** A block of nothing else. */
export function blockOfCreateL1(place: { parentId: string; height: bigint; time: bigint }): Uint8Array {
  const empty = packBlock({ ...place, type: 'BanffStandard', transactions: [] });
  const [count, transaction] = [Buffer.alloc(UINT32_BYTES), createL1Bytes().subarray(VERSION_BYTES)];
  count.writeUInt32BE(1);
  return Buffer.concat([empty.subarray(0, -UINT32_BYTES), count, transaction]);
}
