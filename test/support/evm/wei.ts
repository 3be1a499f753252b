/** A figure of whole AVAX as decimal text, in wei. */
export function toWei(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}
