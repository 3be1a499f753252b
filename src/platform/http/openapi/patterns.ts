/** A digit of cb58. */
export const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Decimal digits of the whole numbers from 0 to `max`, as a pattern: clients that hold such numbers as doubles cannot compare them. */
export function digitsUpTo(max: bigint): string {
  const digits = max.toString();
  const below = [...digits].flatMap((digit, index) =>
    digit === '0'
      ? []
      : [`${digits.slice(0, index)}[0-${Number(digit) - 1}]\\d{${digits.length - 1 - index}}`],
  );
  return `^(\\d{1,${digits.length - 1}}|${[...below, digits].join('|')})$`;
}
