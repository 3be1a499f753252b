import { describe, expect, it } from '@jest/globals';
import {
  chooseClientVersion,
  DEFAULT_CLIENT_VERSION,
  formatClientVersion,
  parseClientVersion,
} from './client-version.js';

/** `1.14.2,1.15.0` as nodes write it. */
const told = (versions: string): string[] =>
  versions === '' ? [] : versions.split(',').map((version) => `avalanchego/${version}`);

const choose = (nodes: readonly string[], peers: readonly string[], claimed?: string): string =>
  formatClientVersion(
    chooseClientVersion({
      nodes,
      peers,
      claimed: claimed === undefined ? undefined : parseClientVersion(claimed),
    }),
  );

describe(chooseClientVersion.name, () => {
  it.each([
    ['the version of the one node', '1.14.2', '', undefined, '1.14.2'],
    ['the highest of several nodes', '1.14.2,1.15.10,1.15.9', '', undefined, '1.15.10'],
    ['the node rather than its peers', '1.14.2', '1.99.0,1.99.0,1.99.0', undefined, '1.14.2'],
    ['a version that rises', '1.15.0', '', '1.14.2', '1.15.0'],
    ['what is claimed, when only an older node answers', '1.14.2', '', '1.15.0', '1.15.0'],
    ['what is claimed, when nobody answers', '', '', '1.14.2', '1.14.2'],
    ['what most peers run, when no node tells', '', '1.15.0,1.15.0,1.9999.0', undefined, '1.15.0'],
    ['the default, when nobody tells', '', '', undefined, formatClientVersion(DEFAULT_CLIENT_VERSION)],
    ['another major version', '2.0.0', '', '1.15.0', '2.0.0'],
    ['the right one again after a nonsensical major', '1.15.0', '', '9999.0.0', '1.15.0'],
  ])('chooses %s', (_, nodes, peers, claimed, expected) => {
    expect(choose(told(nodes), told(peers), claimed)).toBe(expected);
  });

  it.each([
    'avalanchego/1.15',
    'avalanchego/1.15.0-rc1',
    'avalanchego/1.15.99999',
    'avalanchego/1.-15.0',
    'avalanchego/1.15.0.1',
    ' avalanchego/1.16.0',
    'other/1.16.0',
    '1.16.0',
    '',
  ])('takes no notice of %j', (text) => {
    expect(choose([text, 'avalanchego/1.14.2'], [])).toBe('1.14.2');
    expect(choose([text], [])).toBe('1.15.0');
  });

  it('claims what today’s networks accept when nobody can be asked', () => {
    expect(formatClientVersion(DEFAULT_CLIENT_VERSION)).toBe('1.15.0');
  });
});
