import { sha256 } from '@noble/hashes/sha2.js';
import { bls } from '../../avalanche/bls/bls.js';
import { packBlob } from '../../avalanche/codec/codec.js';
import type { Packer } from '../../avalanche/codec/packer.js';
import { EMPTY_ID, idToString } from '../../avalanche/ids/id.js';
import { packBitSet } from '../../avalanche/warp/bit-set.js';
import { makeCanonicalValidatorSet } from '../../avalanche/warp/canonical-validator-set.js';
import { packL1ValidatorWeight } from '../../avalanche/warp/message/l1-validator-weight.js';
import { packMessage } from '../../avalanche/warp/message.js';
import { packAddressedCall } from '../../avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage, type UnsignedMessage } from '../../avalanche/warp/unsigned-message.js';
import { deriveBytes } from '../derived-keys.js';
import type { ProofMaker } from '../proofs.js';
import type { ValidatorSigner } from '../signer.js';
import type { World } from './world.js';

const TYPE_ID = {
  transferInput: 5,
  transferOutput: 7,
  credential: 9,
  subnetAuth: 10,
  convertSubnetToL1: 35,
  registerL1Validator: 36,
  setL1ValidatorWeight: 37,
} as const;

const SECP_SIGNATURE_BYTES = 65;

/** The transactions that made the sandbox's L1 what it is, by name. */
export type TransactionName =
  'convertSubnetToL1' | 'registerL1Validator' | 'setL1ValidatorWeight' | 'removeL1Validator';

export interface Transaction {
  readonly txId: string;
  readonly bytes: Uint8Array;
}

export interface TransactionParts {
  readonly world: World;
  readonly proofs: ProofMaker;
  /** By node id; signs what the validator manager orders. */
  readonly signers: ReadonlyMap<string, ValidatorSigner>;
}

/**
 * Their bytes are complete and decode like real ones, and the Warp messages in them are signed by the L1; inputs, outputs and
 * credentials are made up. Made on first use: proofs of possession take time.
 */
export class Transactions {
  private made: ReadonlyMap<TransactionName, Transaction> | undefined;

  constructor(private readonly parts: TransactionParts) {}

  all(): ReadonlyMap<TransactionName, Transaction> {
    this.made ??= makeTransactions(this.parts);
    return this.made;
  }

  byId(txId: string): Transaction | undefined {
    return [...this.all().values()].find((transaction) => transaction.txId === txId);
  }
}

function makeTransactions(parts: TransactionParts): ReadonlyMap<TransactionName, Transaction> {
  const { joined, weightChanged, retired } = parts.world.history;
  return new Map([
    ['convertSubnetToL1', transaction(parts, TYPE_ID.convertSubnetToL1, 2, packConversion)],
    ['registerL1Validator', registration(parts, joined.origin.message)],
    ['setL1ValidatorWeight', weightOrder(parts, weightChanged.validationId, weightChanged.weight)],
    ['removeL1Validator', weightOrder(parts, retired.validationId, 0n)],
  ]);
}

function packConversion(packer: Packer, { world, proofs, signers }: TransactionParts): void {
  const { subnetId, blockchainId, managerAddress, founders, conversionData } = world.l1;
  packer.packFixedBytes(subnetId).packFixedBytes(blockchainId).packBytes(managerAddress);
  packer.packInt(founders.length);
  founders.forEach(({ nodeId, weight, balance, publicKey }, index) => {
    packer
      .packBytes(conversionData.validators[index]?.nodeId ?? new Uint8Array())
      .packLong(weight)
      .packLong(balance)
      .packFixedBytes(publicKey)
      .packFixedBytes(proofs.proofOfPossession(signers.get(nodeId)));
    packNoOwner(packer);
    packNoOwner(packer);
  });
  packer.packInt(TYPE_ID.subnetAuth).packList([0], (inner, index) => inner.packInt(index));
}

function registration(parts: TransactionParts, order: Uint8Array): Transaction {
  const { joined } = parts.world.history;
  return transaction(parts, TYPE_ID.registerL1Validator, 1, (packer) => {
    packer
      .packLong(joined.balance)
      .packFixedBytes(parts.proofs.proofOfPossession(parts.signers.get(joined.nodeId)))
      .packBytes(signedByManager(parts, order));
  });
}

function weightOrder(parts: TransactionParts, validationId: Uint8Array, weight: bigint): Transaction {
  const order = packL1ValidatorWeight({ validationId, nonce: 0n, weight });
  return transaction(parts, TYPE_ID.setL1ValidatorWeight, 1, (packer) => {
    packer.packBytes(signedByManager(parts, order));
  });
}

function transaction(
  parts: TransactionParts,
  typeId: number,
  credentials: number,
  packBody: (packer: Packer, parts: TransactionParts) => void,
): Transaction {
  const bytes = packBlob((packer) => {
    packer.packInt(typeId);
    packBase(packer, parts.world, typeId);
    packBody(packer, parts);
    packer.packInt(credentials);
    for (let i = 0; i < credentials; i++) {
      packer.packInt(TYPE_ID.credential).packInt(1).packFixedBytes(new Uint8Array(SECP_SIGNATURE_BYTES));
    }
  });
  return { bytes, txId: idToString(sha256(bytes)) };
}

/** One made-up input, one made-up output, no memo. */
function packBase(packer: Packer, world: World, typeId: number): void {
  const owner = deriveBytes('somebody').slice(0, 20);
  packer.packInt(world.networkId).packFixedBytes(EMPTY_ID);
  packer.packInt(1).packFixedBytes(world.assetId).packInt(TYPE_ID.transferOutput);
  packer.packLong(1_000n).packLong(0n).packInt(1).packInt(1).packFixedBytes(owner);
  packer.packInt(1).packFixedBytes(deriveBytes('input', typeId)).packInt(0).packFixedBytes(world.assetId);
  packer.packInt(TYPE_ID.transferInput).packLong(2_000n).packInt(1).packInt(0);
  packer.packBytes(new Uint8Array());
}

function packNoOwner(packer: Packer): void {
  packer.packInt(0).packInt(0);
}

/** The order as an addressed call of the validator manager, signed by all founders that are still there. */
function signedByManager({ world, signers }: TransactionParts, order: Uint8Array): Uint8Array {
  const { blockchainId, managerAddress, founders } = world.l1;
  const unsignedMessage: UnsignedMessage = {
    networkId: world.networkId,
    sourceChainId: blockchainId,
    payload: packAddressedCall({ sourceAddress: managerAddress, payload: order }),
  };
  const bytes = packUnsignedMessage(unsignedMessage);
  const { validators } = makeCanonicalValidatorSet(founders);
  const signatures = validators.map(({ nodeIds: [nodeId] }) => signers.get(nodeId ?? '')?.sign(bytes));
  const signing = signatures.flatMap((signature, index) => (signature ? [{ signature, index }] : []));
  const aggregate = bls.aggregateSignatures(
    signing.map(({ signature }) => bls.signatureFromBytes(signature)),
  );
  return packMessage({
    unsignedMessage,
    signature: { signers: packBitSet(signing.map(({ index }) => index)), signature: aggregate.toBytes() },
  });
}
