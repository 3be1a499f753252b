import { sha256 } from '@noble/hashes/sha2.js';
import { bls } from '../../src/avalanche/bls/bls.js';
import { packBlob } from '../../src/avalanche/codec/codec.js';
import type { Packer } from '../../src/avalanche/codec/packer.js';
import { EMPTY_ID, idToString } from '../../src/avalanche/ids/id.js';
import { packBitSet } from '../../src/avalanche/warp/bit-set.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packL1ValidatorWeight } from '../../src/avalanche/warp/message/l1-validator-weight.js';
import { packMessage } from '../../src/avalanche/warp/message.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage, type UnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { deriveBytes } from '../derived-keys.js';
import type { ValidatorSigner } from '../signer.js';
import type { Registration } from './l1.js';
import type { World } from './world.js';

const TYPE_ID = {
  xChainBase: 0,
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
  | 'convertSubnetToL1'
  | 'registerL1Validator'
  | 'setL1ValidatorWeight'
  | 'removeL1Validator'
  | 'registerL1ValidatorAgain'
  | 'removeL1ValidatorAgain';

export interface Transaction {
  readonly txId: string;
  readonly bytes: Uint8Array;
}

export interface TransactionParts {
  readonly world: World;
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

  /** One of the X-chain, for those who ask the P-chain for it. */
  get ofXChain(): Transaction {
    const { world } = this.parts;
    return transaction(this.parts, {
      typeId: TYPE_ID.xChainBase,
      blockchainId: world.xChainId,
      credentials: 1,
    });
  }

  byId(txId: string): Transaction | undefined {
    return [...this.all().values()].find((transaction) => transaction.txId === txId);
  }
}

function makeTransactions(parts: TransactionParts): ReadonlyMap<TransactionName, Transaction> {
  const { joined, weightChanged, retired, returned } = parts.world.history;
  const conversion = { typeId: TYPE_ID.convertSubnetToL1, credentials: 2 };
  return new Map([
    ['convertSubnetToL1', transaction(parts, conversion, packConversion)],
    ['registerL1Validator', registration(parts, joined)],
    ['setL1ValidatorWeight', weightOrder(parts, weightChanged.validationId, weightChanged.weight)],
    ['removeL1Validator', weightOrder(parts, retired.validationId, 0n)],
    ['registerL1ValidatorAgain', registration(parts, returned)],
    ['removeL1ValidatorAgain', weightOrder(parts, returned.validationId, 0n)],
  ]);
}

function packConversion(packer: Packer, parts: TransactionParts): void {
  const { world } = parts;
  const { subnetId, blockchainId, managerAddress, founders, conversionData } = world.l1;
  packer.packFixedBytes(subnetId).packFixedBytes(blockchainId).packBytes(managerAddress);
  packer.packInt(founders.length);
  founders.forEach(({ nodeId, weight, balance, publicKey }, index) => {
    packer
      .packBytes(conversionData.validators[index]?.nodeId ?? new Uint8Array())
      .packLong(weight)
      .packLong(balance)
      .packFixedBytes(publicKey)
      .packFixedBytes(proofOf(parts, nodeId));
    packNoOwner(packer);
    packNoOwner(packer);
  });
  packer.packInt(TYPE_ID.subnetAuth).packList([0], (inner, index) => inner.packInt(index));
}

function registration(parts: TransactionParts, validation: Registration): Transaction {
  return transaction(parts, { typeId: TYPE_ID.registerL1Validator, credentials: 1 }, (packer) => {
    packer
      .packLong(validation.balance)
      .packFixedBytes(proofOf(parts, validation.nodeId))
      .packBytes(signedByManager(parts, validation.origin.message));
  });
}

function proofOf({ signers }: TransactionParts, nodeId: string): Uint8Array {
  const signer = signers.get(nodeId);
  if (signer === undefined) throw new RangeError(`${nodeId} has no BLS key`);
  return signer.proofOfPossession();
}

function weightOrder(parts: TransactionParts, validationId: Uint8Array, weight: bigint): Transaction {
  const order = packL1ValidatorWeight({ validationId, nonce: 0n, weight });
  return transaction(parts, { typeId: TYPE_ID.setL1ValidatorWeight, credentials: 1 }, (packer) => {
    packer.packBytes(signedByManager(parts, order));
  });
}

function transaction(
  parts: TransactionParts,
  {
    typeId,
    blockchainId = EMPTY_ID,
    credentials,
  }: { typeId: number; blockchainId?: Uint8Array; credentials: number },
  packBody?: (packer: Packer, parts: TransactionParts) => void,
): Transaction {
  const bytes = packBlob((packer) => {
    packer.packInt(typeId);
    packBase(packer, parts.world, { typeId, blockchainId });
    packBody?.(packer, parts);
    packer.packInt(credentials);
    for (let i = 0; i < credentials; i++) {
      packer.packInt(TYPE_ID.credential).packInt(1).packFixedBytes(new Uint8Array(SECP_SIGNATURE_BYTES));
    }
  });
  return { bytes, txId: idToString(sha256(bytes)) };
}

/** One made-up input, one made-up output, no memo. */
function packBase(
  packer: Packer,
  world: World,
  { typeId, blockchainId }: { typeId: number; blockchainId: Uint8Array },
): void {
  const owner = deriveBytes('somebody').slice(0, 20);
  packer.packInt(world.networkId).packFixedBytes(blockchainId);
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
