/** `gzip;q=0.5`: a coding, and how much it is liked. */
const CODING = /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/** Whether gzip is accepted, and liked no less than the file as it is (RFC 9110 12.5.3). */
export function prefersGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').split(',')) {
    const [, coding = '', weight = '1'] = CODING.exec(part) ?? [];
    weights.set(coding.toLowerCase(), Number(weight));
  }
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
