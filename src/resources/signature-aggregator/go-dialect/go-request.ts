import { z } from 'zod';
import { CodecError } from '../../../avalanche/codec/codec.error.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { unwrapMessageInput } from '../../../avalanche/warp/send-warp-log.js';
import { unpackUnsignedMessage } from '../../../avalanche/warp/unsigned-message.js';
import { parseLossless } from '../../../platform/http/adapter/lossless-json.js';
import { IdSchema } from '../../../platform/http/schemas/hex.schema.js';
import {
  type AggregateSignaturesRequest,
  DEFAULT_QUORUM_PERCENTAGE,
  MAX_JUSTIFICATION_BYTES,
  MAX_MESSAGE_BYTES,
} from '../dto/aggregate-signatures.request.js';
import { GoError } from './go-error.js';
import { MAX_UINT64 } from '../../../avalanche/codec/packer.js';

/** The number of a known field as it is written; in a string, a backslash would follow the name. */
const FRACTION = /"(?:quorum-percentage(?:-buffer)?|p-?chain-height)"\s*:\s*-?\d+[.e]/i;

const TextSchema = z.string().nullish();

/** A uint64. Longer numbers come as text. */
const NumberSchema = z
  .union([z.int().min(0), z.string().regex(/^\d{16,20}$/)])
  .transform(BigInt)
  .refine((value) => value <= MAX_UINT64)
  .nullish();

/** As Go reads them: null is nothing, names are of any case, and others are ignored. */
const BodySchema = z.preprocess(
  withLowerCaseNames,
  z.object({
    message: TextSchema,
    justification: TextSchema,
    'signing-subnet-id': TextSchema,
    'quorum-percentage': NumberSchema,
    'quorum-percentage-buffer': NumberSchema,
    'pchain-height': NumberSchema,
    /** As its README has it. */
    'p-chain-height': NumberSchema,
  }),
);

export interface GoRequest {
  /** Of the message. */
  readonly networkId: number;
  readonly request: AggregateSignaturesRequest;
}

/** Throws GoError, with what the Go aggregator finds first. */
export function parseGoRequest(text: unknown): GoRequest {
  const body = decodeBody(text);
  const message = decodeHex(body.message, 'Could not decode message');
  const networkId = networkIdOf(message);
  const justification = decodeHex(body.justification, 'Could not decode justification');
  const { quorumPercentage, quorumPercentageBuffer } = quorumOf(body);
  const signingSubnetId = subnetOf(body['signing-subnet-id'] ?? '');
  if (message.length > MAX_MESSAGE_BYTES || justification.length > MAX_JUSTIFICATION_BYTES) {
    throw new GoError(413, 'signature request exceeds the maximum p2p message size');
  }
  const request = {
    message,
    justification,
    quorumPercentage,
    quorumPercentageBuffer,
    pChainHeight: heightOf(body),
    ...(signingSubnetId === undefined ? {} : { signingSubnetId }),
  };
  return { networkId, request };
}

function decodeBody(text: unknown): z.output<typeof BodySchema> {
  try {
    if (typeof text !== 'string' || FRACTION.test(text)) throw new TypeError('not the JSON wanted');
    // Go leaves the fields of `null` as they are.
    return BodySchema.parse(parseLossless(text) ?? {});
  } catch {
    throw new GoError(400, 'Could not decode request body');
  }
}

function decodeHex(text: string | null | undefined, otherwise: string): Uint8Array {
  try {
    return fromHex(text ?? '');
  } catch {
    throw new GoError(400, otherwise);
  }
}

function networkIdOf(message: Uint8Array): number {
  try {
    return unpackUnsignedMessage(unwrapMessageInput(message)).networkId;
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new GoError(400, 'Error unpacking warp message');
  }
}

function quorumOf(body: z.output<typeof BodySchema>) {
  const asked = body['quorum-percentage'] ?? 0n;
  const quorum = asked === 0n ? BigInt(DEFAULT_QUORUM_PERCENTAGE) : asked;
  if (quorum > 100n) throw new GoError(400, 'Invalid quorum number');
  const buffer = body['quorum-percentage-buffer'] ?? 0n;
  if (quorum + buffer > 100n) throw new GoError(400, 'Invalid quorum buffer number');
  return { quorumPercentage: Number(quorum), quorumPercentageBuffer: Number(buffer) };
}

function subnetOf(text: string): AggregateSignaturesRequest['signingSubnetId'] {
  if (text === '') return undefined;
  const id = IdSchema.safeParse(text);
  if (id.success) return id.data;
  throw new GoError(400, 'Error parsing signing subnet ID');
}

/** The greatest height stands for the proposed one, as 0 does. Others are bounded: our heights are numbers, and no chain gets there. */
function heightOf(body: z.output<typeof BodySchema>): number {
  const height = body['pchain-height'] ?? body['p-chain-height'] ?? 0n;
  if (height === MAX_UINT64) return 0;
  return Number(height > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : height);
}

function withLowerCaseNames(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [name.toLowerCase(), value]),
  );
}
