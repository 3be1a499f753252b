import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { isAvalancheError } from '../../../src/avalanche/avalanche.error.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { ValidatorsAtSchema } from '../../../src/avalanche/rpc/platform-schemas.js';
import { unpackBitSet } from '../../../src/avalanche/warp/bit-set.js';
import {
  makeCanonicalValidatorSet,
  type ValidatorSetEntry,
} from '../../../src/avalanche/warp/canonical-validator-set.js';
import { unpackMessage } from '../../../src/avalanche/warp/message.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import { verifyMessage } from '../../../src/avalanche/warp/verify-message.js';
import { SignedProofSchema } from '../../../src/exports/proof/export-proof.js';
import { verifyFile } from '../../../src/exports/proof/verify-file.js';
import { parseLossless } from '../../../src/platform/http/adapter/lossless-json.js';
import type { Client } from './client.js';
import type { FinishedExport } from './exports.js';
import type { RequestOptions } from './http.js';

/** The service has given something else than it should. */
export class VerificationError extends Error {
  constructor(
    /** For programs to branch on, e.g. `INSUFFICIENT_WEIGHT`. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A validator of the signing subnet; the service's list of signers consists of such, too. */
export interface Validator {
  readonly nodeId?: string;
  /** BLS key, 48 bytes in hex; left out of one without a key, whose weight counts all the same. */
  readonly publicKey?: string;
  /** Decimal digits. */
  readonly weight: string;
}

export interface VerifyMessageOptions {
  /**
   * The signing subnet's, at the height that the receiving chain verifies with. Of a node of your own they make the signature as good as
   * that node; of the service itself they only show that it agrees with itself.
   */
  readonly validators: readonly Validator[];
  /** 1 of mainnet, 5 of Fuji. */
  readonly networkId: number;
  /** 67 by default, as chains require. */
  readonly quorumPercentage?: number;
  /** The unsigned message that was to be signed, in hex; give it whenever you know it. */
  readonly message?: string;
}

export interface VerifiedMessage {
  /** In hex, as is the payload. */
  readonly unsignedMessage: string;
  readonly payload: string;
  /** Of the validators that have signed, as far as they are known. */
  readonly signers: readonly string[];
  readonly signedWeight: bigint;
  readonly totalWeight: bigint;
}

/** Checks a `signedMessage` as the receiving chain does. Throws VerificationError. */
export function verifySignedMessage(signedMessage: string, options: VerifyMessageOptions): VerifiedMessage {
  const { validators, networkId, quorumPercentage = 67, message: expected } = options;
  return asVerificationError(() => {
    const message = unpackMessage(fromHex(signedMessage));
    const unsigned = toHex(packUnsignedMessage(message.unsignedMessage));
    if (expected !== undefined && unsigned !== toHex(fromHex(expected))) {
      throw new VerificationError(
        'ANOTHER_MESSAGE',
        'another message was signed than the one that was given',
      );
    }
    const validatorSet = makeCanonicalValidatorSet(validators.map(toEntry));
    verifyMessage({
      message,
      networkId,
      validatorSet,
      quorumNumerator: quorumPercentage,
      quorumDenominator: 100,
    });
    const signers = unpackBitSet(message.signature.signers).flatMap(
      (index) => validatorSet.validators[index] ?? [],
    );
    return {
      unsignedMessage: unsigned,
      payload: toHex(message.unsignedMessage.payload),
      signers: signers.flatMap(({ nodeIds }) => nodeIds).filter((nodeId) => nodeId !== ''),
      signedWeight: signers.reduce((sum, { weight }) => sum + weight, 0n),
      totalWeight: validatorSet.totalWeight,
    };
  });
}

export interface ValidatorsQuery extends RequestOptions {
  /** cb58; the primary network's is `11111111111111111111111111111111LpoYY`. */
  readonly subnetId: string;
  /** Of the P-chain, or `proposed`; the service names that of its signers as `pChainHeight`. */
  readonly height: string;
}

/** A subnet's validators by any node's own word: `nodeUrl` is e.g. `https://api.avax.network`. Throws what fetch throws, and VerificationError. */
export async function fetchValidators(
  nodeUrl: string,
  { subnetId, height, signal }: ValidatorsQuery,
): Promise<Validator[]> {
  const response = await fetch(`${nodeUrl.replace(/\/+$/, '')}/ext/bc/P`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'platform.getValidatorsAt',
      params: { subnetID: subnetId, height },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const parsed = ValidatorsAtSchema.safeParse(resultOf(text));
  if (!parsed.success) {
    throw new VerificationError(
      'NO_VALIDATORS',
      `HTTP ${response.status}, no validators: ${text.slice(0, 200)}`,
    );
  }
  return parsed.data.map(({ nodeId, publicKey, weight }) => ({
    nodeId,
    ...(publicKey === null ? {} : { publicKey: toHex(publicKey) }),
    weight: weight.toString(),
  }));
}

export interface VerifyExportOptions {
  /** `proof.json` as it was downloaded. */
  readonly proof: string;
  readonly file: AsyncIterable<Uint8Array>;
  /** Of the installation, in hex, as it was known before; without it the proof's own is believed. */
  readonly publicKey?: string | undefined;
  /** That the proof must be of. */
  readonly operationId?: string;
}

/** Days are those of the time zone, both included; chains are named by their EVM chain ids. */
export interface ProvedRequest {
  readonly addresses: readonly string[];
  readonly chainIds: readonly string[];
  readonly firstDate: string;
  readonly lastDate: string;
  readonly timeZone: string;
  readonly format: string;
}

export interface VerifiedExport {
  /** That has signed the proof: keep it, and give it the next time. */
  readonly publicKey: string;
  /** Sentences: what was compared, and what could not be. */
  readonly compared: readonly string[];
  /** That the file is of: compare it with what you have asked for. */
  readonly request: ProvedRequest;
  /** The first day that is missing from the file or may be incomplete; null if it has all. */
  readonly nextDate: string | null;
  /** What is missing, or not proved. */
  readonly notes: readonly string[];
}

/**
 * Checks an export's file against its proof: the signature, the digests, and that the rows of each account add up to the change of its
 * balance. That the balances are those of the chain only a node can show. Throws VerificationError, and what the file throws.
 */
export async function verifyExport(options: VerifyExportOptions): Promise<VerifiedExport> {
  const { proof, file, publicKey, operationId } = options;
  const parsed = SignedProofSchema.safeParse(parseJson(proof));
  if (!parsed.success) throw new VerificationError('MALFORMED_PROOF', parsed.error.message);
  const signed = parsed.data;
  if (publicKey !== undefined && publicKey.toLowerCase() !== signed.publicKey) {
    throw new VerificationError('ANOTHER_KEY', `the proof is signed by ${signed.publicKey}`);
  }
  if (operationId !== undefined && operationId !== signed.proof.operationId) {
    throw new VerificationError('ANOTHER_EXPORT', `the proof is of the export ${signed.proof.operationId}`);
  }
  const { problems, compared } = await verifyFile(signed, toBuffers(file));
  if (problems.length > 0) throw new VerificationError('NOT_AS_PROVED', problems.join('; '));
  const { request, nextDate, notes } = signed.proof;
  return { publicKey: signed.publicKey, compared, request, nextDate, notes };
}

/**
 * Downloads an export into a file, which is there only if the proof holds for it. Throws as `verifyExport` does, and VerificationError of
 * an export without a proof.
 */
export async function downloadVerified(
  client: Pick<Client, 'download'>,
  { operationId, downloadUrl, proofUrl, nextDate }: FinishedExport,
  { path, publicKey, signal }: RequestOptions & { readonly path: string; readonly publicKey?: string },
): Promise<VerifiedExport> {
  if (proofUrl === undefined) throw new VerificationError('NO_PROOF', 'the export has no proof');
  const options = signal === undefined ? {} : { signal };
  const proof = await textOf(client.download(proofUrl, options));
  const unverified = `${path}.${randomUUID()}`;
  try {
    const file = writeAlong(client.download(downloadUrl, options), unverified);
    const verified = await verifyExport({ proof, file, publicKey, operationId });
    if (verified.nextDate !== (nextDate ?? null)) {
      throw new VerificationError('ANOTHER_END', `nextDate of the proof: ${verified.nextDate ?? 'none'}`);
    }
    await rename(unverified, path);
    return verified;
  } finally {
    await rm(unverified, { force: true });
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes: Uint8Array[] = [];
  for await (const chunk of chunks) bytes.push(chunk);
  return Buffer.concat(bytes).toString();
}

/** Passes the bytes on, and writes them into a file. */
async function* writeAlong(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array, void> {
  const file = await open(path, 'wx');
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      yield chunk;
    }
  } finally {
    await file.close();
  }
}

async function* toBuffers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  for await (const { buffer, byteOffset, byteLength } of chunks) {
    yield Buffer.from(buffer, byteOffset, byteLength);
  }
}

function toEntry({ nodeId = '', publicKey, weight }: Validator): ValidatorSetEntry {
  if (!/^\d{1,20}$/.test(weight)) {
    throw new VerificationError('WEIGHT_OUT_OF_RANGE', `${weight} is no weight`);
  }
  return {
    nodeId,
    publicKey: publicKey === undefined ? null : fromHex(publicKey),
    weight: BigInt(weight),
  };
}

function resultOf(text: string): unknown {
  const answer = parseJson(text);
  return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined;
}

function parseJson(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

function asVerificationError<T>(verify: () => T): T {
  try {
    return verify();
  } catch (cause) {
    if (!isAvalancheError(cause)) throw cause;
    throw new VerificationError(cause.code, cause.message, { cause });
  }
}
