import { describe, expect, it } from '@jest/globals';
import { metadataSource, type UriRules } from './token-uri.js';

const RULES: UriRules = {
  ipfsGateways: ['https://one.example/ipfs', 'https://two.example/ipfs/'],
  arweaveGateways: ['https://ar.example/'],
  maxBytes: 100,
};
const CID_0 = `Qm${'z'.repeat(44)}`;
const CID_1 = `b${'a'.repeat(58)}`;
const TRANSACTION = 'x'.repeat(43);

function source(uri: string): unknown {
  const found = metadataSource(uri, 255n, RULES);
  switch (found.kind) {
    case 'inline':
      return found.content.toString();
    case 'remote':
      return found.urls.map(({ href }) => href);
    case 'none':
      return found.fault;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe(metadataSource.name, () => {
  it.each([
    [`ipfs://${CID_0}/1.json`, `${CID_0}/1.json`],
    [`IPFS://${CID_0}`, CID_0],
    [`ipfs://ipfs/${CID_1}/a/b`, `${CID_1}/a/b`],
    [`ipfs:${CID_1}`, CID_1],
    [`ipfs:///ipfs/${CID_1}`, CID_1],
    [`/ipfs/${CID_1}/1`, `${CID_1}/1`],
    [`dweb:/ipfs/${CID_1}/1`, `${CID_1}/1`],
    [CID_1, CID_1],
    [`  ${CID_1}/1.json\n`, `${CID_1}/1.json`],
    [`ipfs://${CID_1}/Work #1 of 2.json`, `${CID_1}/Work%20%231%20of%202.json`],
    [`ipfs://${CID_1}/{id}.json`, `${CID_1}/${'0'.repeat(62)}ff.json`],
    [`ipfs://${CID_1}/%7Bid%7D`, `${CID_1}/${'0'.repeat(62)}ff`],
    [`ipfs://${CID_1}?filename=1.json`, `${CID_1}?filename=1.json`],
  ])('asks every IPFS gateway for %s', (uri, path) => {
    expect(source(uri)).toEqual([`https://one.example/ipfs/${path}`, `https://two.example/ipfs/${path}`]);
  });

  it('asks other gateways, too, for a URL of something on IPFS', () => {
    expect(source(`https://gone.example/ipfs/${CID_1}/1`)).toEqual([
      `https://gone.example/ipfs/${CID_1}/1`,
      `https://one.example/ipfs/${CID_1}/1`,
      `https://two.example/ipfs/${CID_1}/1`,
    ]);
  });

  it.each([
    [`ar://${TRANSACTION}/1.json`, [`https://ar.example/${TRANSACTION}/1.json`]],
    ['https://host.example/{id}?a=b', [`https://host.example/${'0'.repeat(62)}ff?a=b`]],
    ['HTTP://host.example/1', ['http://host.example/1']],
  ])('asks for %s at %j', (uri, urls) => {
    expect(source(uri)).toEqual(urls);
  });

  it.each([
    ['data:application/json,{"a":1}', '{"a":1}'],
    ['data:application/json;utf8,{"a":"50%"}', '{"a":"50%"}'],
    ['data:application/json;charset=utf-8,%7B%22a%22%3A%22%C3%A4%22%7D', '{"a":"ä"}'],
    ['data:,{"a":"ä%E4%B8%AD"}', '{"a":"ä中"}'],
    [`data:application/json;base64,${base64('{"a":"ä"}')}`, '{"a":"ä"}'],
    [`DATA:;charset=utf-8;BASE64,${base64('{}').replaceAll('=', '%3D')}`, '{}'],
    [
      `data:application/json;base64,${base64('{"id":1}').slice(0, 4)}\n${base64('{"id":1}').slice(4)}`,
      '{"id":1}',
    ],
    ['data:application/json,{"id":"{id}"}', `{"id":"${'0'.repeat(62)}ff"}`],
  ])('reads %s', (uri, content) => {
    expect(source(uri)).toBe(content);
  });

  it.each([
    ['', 'invalid_token_uri'],
    ['1.json', 'invalid_token_uri'],
    ['data:application/json', 'invalid_token_uri'],
    ['data:;base64,!!!', 'invalid_token_uri'],
    ['ipfs://', 'invalid_token_uri'],
    ['ipfs://not-a-cid/1', 'invalid_token_uri'],
    [`ipfs://${CID_1}/../../api/v0/shutdown`, 'invalid_token_uri'],
    [`ipfs://${CID_1}/%2e%2e/%2E./api`, 'invalid_token_uri'],
    [`ipfs://${CID_1}/..\\..\\api`, 'invalid_token_uri'],
    ['ar://short', 'invalid_token_uri'],
    ['https://', 'invalid_token_uri'],
    [`https://host.example/${'a'.repeat(8_192)}`, 'invalid_token_uri'],
    ['ftp://host.example/1', 'invalid_token_uri_scheme'],
    ['file:///etc/passwd', 'invalid_token_uri_scheme'],
    ['javascript:alert(1)', 'invalid_token_uri_scheme'],
    ['ipns://name/1', 'invalid_token_uri_scheme'],
    [`data:,${'a'.repeat(101)}`, 'metadata_content_too_large'],
    [`data:,${'a'.repeat(1_000_000)}`, 'metadata_content_too_large'],
    [`data:;base64,${base64('a'.repeat(101))}`, 'metadata_content_too_large'],
    [`data:,${'{id}'.repeat(25)}`, 'metadata_content_too_large'],
    [`data:,${'{id}'.repeat(1_000)}`, 'metadata_content_too_large'],
    [`https://host.example/${'{id}'.repeat(1_000)}`, 'invalid_token_uri'],
  ])('classifies %s as %s', (uri, fault) => {
    expect(source(uri)).toBe(fault);
  });
});
