import { ed25519 } from '@noble/curves/ed25519.js';
import { z } from 'zod';
import { fromHex, toHex } from '../../avalanche/ids/hex.js';
import {
  AddressSchema,
  CountSchema,
  DecimalSchema,
  HashSchema,
  SignedDecimalSchema,
} from '../record-schemas.js';

/**
 * The proof beside an export's file: the blocks that it covers, the balances of each account at both ends, and the rule by which nothing
 * is missing between them. Heights and amounts are decimal texts, hashes and keys hex.
 */

const DigestSchema = z.string().regex(/^[0-9a-f]{64}$/);

const StateSchema = z.object({ nonce: DecimalSchema, balance: DecimalSchema });

/** Raw units, of ERC-721 the number of tokens; null where no node has it, or the contract does not answer. */
const TokenSchema = z.object({
  contract: AddressSchema,
  /** Of ERC-1155. */
  tokenId: DecimalSchema.nullable(),
  /** Sum of the account's rows. */
  rows: SignedDecimalSchema,
  /** `balanceOf` at both ends. Contracts may change balances without logs: then these differ by something else than the rows. */
  opening: DecimalSchema.nullable(),
  closing: DecimalSchema.nullable(),
});

const AccountSchema = z.object({
  address: AddressSchema,
  /**
   * `indexed`: every block was read. `signed`: its key has signed a transaction, or that it exists, so that each block which changed it was found. `unsigned`, `contract`:
   * net changes only. `reserved`: not searched for. `incomplete`: the notes name rows that are missing.
   */
  rule: z.enum(['indexed', 'signed', 'unsigned', 'contract', 'reserved', 'incomplete']),
  /** After the block before the first one, and after the last one; null where no node has these states. */
  opening: StateSchema.nullable(),
  closing: StateSchema.nullable(),
  /** Blocks that a search has found to change it. */
  changes: CountSchema,
  /** Amounts that are rows without another side. */
  unnamed: CountSchema,
  tokens: z.array(TokenSchema),
});

const BlockSchema = z.object({ height: DecimalSchema, hash: HashSchema });

const ChainSchema = z.object({
  chainId: DecimalSchema,
  blockchainId: z.string(),
  name: z.string(),
  /** First and last block; null when the chain has none on these days. */
  blocks: z.object({ first: BlockSchema, last: BlockSchema }).nullable(),
  /** Versions of what made the rows. */
  decoders: z.record(z.string(), z.number().int()),
  /** Hosts that were asked. */
  nodes: z.array(z.string()),
  accounts: z.array(AccountSchema),
});

const ProofContentSchema = z.object({
  version: z.literal(1),
  operationId: z.uuid(),
  /** UNIX seconds. */
  madeAt: z.number().int(),
  request: z.object({
    addresses: z.array(AddressSchema),
    /** Of them, those whose keys have signed that they exist. */
    signers: z.array(AddressSchema),
    chainIds: z.array(DecimalSchema),
    firstDate: z.string(),
    lastDate: z.string(),
    timeZone: z.string(),
    format: z.enum(['standard', 'koinly', 'cointracker']),
  }),
  /** First day that is not in the file, or not whole. */
  nextDate: z.string().nullable(),
  notes: z.array(z.string()),
  file: z.object({
    bytes: CountSchema,
    rows: CountSchema,
    /** Stretches of the file, one after the other, and the SHA-256 of each. */
    parts: z.array(z.object({ bytes: CountSchema, sha256: DigestSchema })),
  }),
  chains: z.array(ChainSchema),
  /** False when the accounts have more tokens than are in this proof. */
  hasAllTokens: z.boolean(),
});

export const SignedProofSchema = z.object({
  proof: ProofContentSchema,
  /** Ed25519, of the installation. */
  publicKey: DigestSchema,
  /** Over the proof as compact JSON, its keys in the order in which they stand. */
  signature: z.string().regex(/^[0-9a-f]{128}$/),
});

export type ProofContent = z.infer<typeof ProofContentSchema>;
export type ProofChain = ProofContent['chains'][number];
export type ProofAccount = ProofChain['accounts'][number];
export type ProofToken = ProofAccount['tokens'][number];
export type SignedProof = z.infer<typeof SignedProofSchema>;

/** Rules by which the rows add up to the change of the balance between both ends. */
export const ADDING_UP: ReadonlySet<ProofAccount['rule']> = new Set([
  'indexed',
  'signed',
  'unsigned',
  'contract',
]);

/** `secret`: 32 bytes. */
export function signProof(proof: ProofContent, secret: Uint8Array): SignedProof {
  return {
    proof,
    publicKey: toHex(ed25519.getPublicKey(secret)),
    signature: toHex(ed25519.sign(bytesOf(proof), secret)),
  };
}

export function isGenuine({ proof, publicKey, signature }: SignedProof): boolean {
  return ed25519.verify(fromHex(signature), bytesOf(proof), fromHex(publicKey));
}

function bytesOf(proof: ProofContent): Uint8Array {
  return Buffer.from(JSON.stringify(proof));
}
