import { z } from 'zod';

/** Of the JSON in which exports are recorded and proved: bigints are decimal texts there. */

/** YYYY-MM-DD. */
export const DaySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const CountSchema = z.number().int().min(0);
export const HeightSchema = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
/** A uint256. */
export const DecimalSchema = z.string().regex(/^\d{1,78}$/);
export const AddressSchema = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]);
export const HashSchema = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]);
/** A difference of two uint256, or a sum of some. */
export const SignedDecimalSchema = z.string().regex(/^-?\d{1,99}$/);
