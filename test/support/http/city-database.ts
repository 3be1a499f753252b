/** MaxMind's format (MaxMind DB file format specification 2.0), as much of it as one network needs. */

type Value = string | number | { readonly uint: number } | { readonly map: Entries } | Value[];
type Entries = Readonly<Record<string, Value>>;

const SEPARATOR = Buffer.alloc(16);
const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** A database in which all addresses that begin with these bits have this record. */
export function cityDatabase(ipVersion: 4 | 6, { bits, record }: { bits: string; record: Value }): Buffer {
  const nodeCount = bits.length;
  const nodes = [...bits].map((bit, index) => {
    const further = index + 1 < nodeCount ? index + 1 : nodeCount + SEPARATOR.length;
    return Buffer.concat((bit === '0' ? [further, nodeCount] : [nodeCount, further]).map(uint24));
  });
  const metadata: Entries = {
    binary_format_major_version: { uint: 2 },
    binary_format_minor_version: { uint: 0 },
    build_epoch: { uint: 1_700_000_000 },
    database_type: 'City',
    description: { map: {} },
    ip_version: { uint: ipVersion },
    languages: ['en'],
    node_count: { uint: nodeCount },
    record_size: { uint: 24 },
  };
  return Buffer.concat([...nodes, SEPARATOR, encode(record), METADATA_START, encode({ map: metadata })]);
}

/** The first 24 bits of an IPv4 address. */
export function ipv4Bits(address: string): string {
  const bytes = address.split('.').slice(0, 3).map(Number);
  return bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(value, 0, 3);
  return bytes;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(3, bytes.length), bytes]);
  }
  // Types from 8 on stand in a byte of their own.
  if (Array.isArray(value)) return Buffer.concat([Buffer.of(value.length, 11 - 7), ...value.map(encode)]);
  if ('uint' in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value.uint);
    return Buffer.concat([control(6, bytes.length), bytes]);
  }
  const entries = Object.entries(value.map);
  return Buffer.concat([control(7, entries.length), ...entries.flat().map(encode)]);
}

/** Sizes from 29 on stand in a byte of their own. */
function control(type: number, size: number): Buffer {
  return size < 29 ? Buffer.of((type << 5) | size) : Buffer.of((type << 5) | 29, size - 29);
}
