import { describe, expect, it } from '@jest/globals';
import { MAX_METADATA_BYTES, readNftMetadata } from './nft-metadata.js';

const ERC721 = { ercType: 'ERC-721', tokenId: 10n } as const;
const ERC1155 = { ercType: 'ERC-1155', tokenId: 10n } as const;

function read(json: string | object, token: typeof ERC721 | typeof ERC1155 = ERC721) {
  return readNftMetadata(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), token);
}

function nested(depth: number): string {
  return `{"attributes":${'['.repeat(depth)}${']'.repeat(depth)}}`;
}

describe(readNftMetadata.name, () => {
  it.each([
    [{ image_url: 'a' }, { imageUri: 'a' }],
    [{ image: 'a', image_url: 'b', image_data: '<svg/>' }, { imageUri: 'a' }],
    [{ image: '', image_url: 'b' }, { imageUri: 'b' }],
    [{ image_data: '<svg/>' }, { imageUri: 'data:image/svg+xml;utf8,%3Csvg%2F%3E' }],
    [{ image_data: 'data:image/svg+xml,x' }, { imageUri: 'data:image/svg+xml,x' }],
    [{ traits: [{ a: 1 }] }, { attributes: '[{"a":1}]' }],
    [{ attributes: { a: 1 }, traits: [] }, { attributes: '{"a":1}' }],
    [{ name: 7 }, { name: '7' }],
    [{ name: { en: 'x' }, description: null, image: ['a'], attributes: 'none' }, {}],
    [{ decimals: 3, properties: { a: 1 } }, { attributes: '{"a":1}' }],
    [{ name: 'a\0b' }, { name: 'ab' }],
    ['{"name":"half \\ud83d"}', { name: 'half \ufffd' }],
    ['\ufeff{"name":"after a byte order mark"}', { name: 'after a byte order mark' }],
  ])('reads %j of an ERC-721 as %j', (json, metadata) => {
    expect(read(json)).toEqual({ status: 'indexed', metadata });
  });

  it.each([
    [
      { decimals: 18, properties: { a: [1] } },
      { decimals: 18, properties: '{"a":[1]}' },
    ],
    [{ decimals: 256 }, {}],
    [{ decimals: '2' }, {}],
    [{ attributes: [1] }, { properties: '[1]' }],
    [{ image: 'ipfs://x/{id}.png' }, { imageUri: `ipfs://x/${'0'.repeat(63)}a.png` }],
  ])('reads %j of an ERC-1155 as %j', (json, metadata) => {
    expect(read(json, ERC1155)).toEqual({ status: 'indexed', metadata });
  });

  it('keeps every digit of a large integer', () => {
    expect(read('{"attributes":[{"dna":123456789012345678901}]}')).toMatchObject({
      metadata: { attributes: '[{"dna":"123456789012345678901"}]' },
    });
  });

  it.each([['x'], [''], ['{'], ['{"a":1}{'], ["{'a':1}"]])('reports that %j is no JSON', (json) => {
    expect(read(json)).toEqual({ status: 'invalid_metadata_json' });
  });

  it('reports that JSON in other bytes than UTF-8 is none', () => {
    expect(readNftMetadata(Buffer.from('7b226e616d65223a22ff227d', 'hex'), ERC721)).toEqual({
      status: 'invalid_metadata_json',
    });
  });

  it.each([['[]'], ['null'], ['1'], ['"text"'], [nested(32)], [nested(100_000)]])(
    'reports that %.20s… is no metadata',
    (json) => {
      expect(read(json)).toEqual({ status: 'invalid_metadata' });
    },
  );

  it.each([
    ['as long as it may be', 0, 'indexed'],
    ['longer', 1, 'metadata_content_too_large'],
  ])('takes an ERC-1155 that is %s with its id filled in (%i bytes too many) for %s', (_, excess, status) => {
    const [placeholder, id, rest] = ['{id}', '0'.repeat(64), '{"name":""}'];
    const count = Math.floor((MAX_METADATA_BYTES - rest.length) / id.length);
    const padding = MAX_METADATA_BYTES - rest.length - count * id.length + excess;
    const text = `{"name":"${placeholder.repeat(count)}${'x'.repeat(padding)}"}`;
    expect(read(text, ERC1155).status).toBe(status);
    expect(read(text).status).toBe('indexed');
  });

  it('reads what is nested as deeply as it may be', () => {
    expect(read(nested(31)).status).toBe('indexed');
  });
});
