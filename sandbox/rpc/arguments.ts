import { z } from 'zod';
import { IdError } from '../../src/avalanche/ids/id.error.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { nodeIdFromString } from '../../src/avalanche/ids/node-id.js';
import { MAX_UINT64 } from '../../src/avalanche/codec/packer.js';

/** Arguments as Go reads them: what is absent or null is the type's zero value. */
export const IdArgument = z
  .string()
  .refine(reads(idFromString))
  .nullish()
  .transform((id) => id ?? PRIMARY_NETWORK_ID);

export const NodeIdsArgument = z
  .array(z.string().refine(reads(nodeIdFromString)))
  .nullish()
  .transform((nodeIds) => nodeIds ?? []);

export const TextArgument = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** A 64-bit number, in quotes or not. Unquoted ones above 2^53 arrive rounded, which no height is. */
export const Uint64Argument = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0)])
  .nullish()
  .transform((value) => BigInt(value ?? 0))
  .refine((value) => value <= MAX_UINT64);

/** A height below 2^64-1, or "proposed" (avalanchego v1.14.2 vms/platformvm/api/height.go). */
export const HeightArgument = z.union([
  z.literal('proposed'),
  Uint64Argument.refine((value) => value < MAX_UINT64),
]);

export const EncodingArgument = z
  .enum(['hex', 'hexnc', 'hexc', 'json'])
  .nullish()
  .transform((encoding) => encoding ?? 'hex');

export type Encoding = z.output<typeof EncodingArgument>;

export const SubnetArguments = z.object({ subnetID: IdArgument });

export const NoArguments = z.object({});

function reads(read: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof IdError) return false;
      throw error;
    }
  };
}
