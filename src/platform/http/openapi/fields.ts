/*
 * Fields of answers for the document: each with its unit and an example of the sandbox.
 */

const DECIMAL_PATTERN = '^\\d+$';

export const decimal = (description: string, example: string) =>
  ({ type: 'string', pattern: DECIMAL_PATTERN, description, example }) as const;

/** A height, or -1: of what there is without a block. The description explains it. */
export const blockNumber = (description: string, example: string) =>
  ({ type: 'string', pattern: '^(-1|\\d+)$', description, example }) as const;

export const nanoAvax = (description: string, example: string) => decimal(`${description} nAVAX.`, example);

export const unixSeconds = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description: `${description} UNIX seconds.`, example }) as const;

export const count = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, description, example }) as const;

/** Beyond 2^53 some readers of JSON lose digits. */
export const uint64 = (description: string, example: number) =>
  ({
    type: 'integer',
    format: 'uint64',
    minimum: 0,
    description: `${description} May be above 2^53, up to 2^64 − 1: if your parser rounds such numbers, treat the value as "never".`,
    example,
  }) as const;

export const text = (description: string, example: string) =>
  ({ type: 'string', description, example }) as const;

/** A 32-byte id. */
export const cb58 = (description: string, example: string) => text(`${description} cb58.`, example);

export const bech32List = (description: string, example: string) =>
  ({
    type: 'array',
    items: { type: 'string' },
    description: `${description} Bech32 without a chain prefix.`,
    example: [example],
  }) as const;
