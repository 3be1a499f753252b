import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { avmGenesisOf } from '../../avalanche/avm/genesis/genesis.js';
import { genesisBytesOf } from '../../../sandbox/generated/p-chain-generator.js';
import { type NetworkSettings, writeNetworksFile } from '../../../test/support/networks-file.js';
import { readNetworksFile } from './networks-file.js';
import { projectFolder } from './project-folder.js';

const PEER = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg@203.0.113.7:9651';

const DEVNET: NetworkSettings = {
  name: 'devnet14',
  networkId: 14,
  nodeUrls: ['http://127.0.0.1:9650'],
};

const read = async (networks: readonly NetworkSettings[], env: NodeJS.ProcessEnv = {}) =>
  readNetworksFile(await writeNetworksFile(networks), env);

describe(readNetworksFile.name, () => {
  it('reads networks, each with its genesis and the ids that follow from it', async () => {
    const [fourteen, other] = await read(
      [
        { ...DEVNET, nodeUrls: ['${NODES}'], hrp: 'flower', bootstrappers: [PEER] },
        { name: 'devnet114', networkId: 114, bootstrappers: [PEER] },
      ],
      { NODES: 'http://10.0.0.1:9650,http://10.0.0.2:9650/' },
    );
    expect(fourteen).toMatchObject({
      name: 'devnet14',
      networkId: 14,
      nodeUrls: ['http://10.0.0.1:9650', 'http://10.0.0.2:9650'],
      peers: [PEER],
      own: { hrp: 'flower', upgrades: undefined, genesis: await genesisBytesOf(14) },
    });
    expect(other).toMatchObject({ nodeUrls: [], own: { hrp: 'custom' } });
    const ids = [fourteen, other].flatMap((network) => Object.values(network?.own.ids ?? {}));
    expect(ids).toHaveLength(6);
    expect(ids.every((id) => /^[0-9a-f]{64}$/.test(id))).toBe(true);
    expect(fourteen?.own.ids.cChainId).not.toBe(other?.own.ids.cChainId);
  });

  it('reads a genesis that avalanchego has made', async () => {
    const genesisFile = join(projectFolder(), 'test/vectors/genesis_14.json');
    const [network] = await read([{ ...DEVNET, genesisFile }]);
    expect(network).toBeDefined();
    const { assets, identity } = await avmGenesisOf(14, network?.own.genesis);
    expect(network?.own.ids).toMatchObject({
      avaxAssetId: assets[0]?.id,
      xChainId: identity.blockchainId,
    });
  });

  it('reads times of upgrades as nodes have them; those that are left out never come', async () => {
    const upgrades = { durangoTime: '2024-01-01T00:00:00Z', etnaTime: '2025-01-01T00:00:00Z' };
    const [network] = await read([{ ...DEVNET, upgrades }]);
    expect(network?.own.upgrades).toMatchObject({
      durango: Date.UTC(2024, 0) / 1000,
      etna: Date.UTC(2025, 0) / 1000,
      helicon: Number.MAX_SAFE_INTEGER,
    });
  });

  it.each<[string, NetworkSettings[], string]>([
    [
      'a name with other characters',
      [{ ...DEVNET, name: 'dev-net' }],
      'networks.0.name: must be lower-case letters',
    ],
    ['a name that is too long', [{ ...DEVNET, name: 'a2345678901234567' }], 'networks.0.name: must be'],
    ['fuji with another meaning', [{ ...DEVNET, name: 'fuji' }], 'networks.0.name: has a meaning of its own'],
    [
      'the second name of fuji',
      [{ ...DEVNET, name: 'testnet' }],
      'networks.0.name: has a meaning of its own',
    ],
    ['the id of mainnet', [{ ...DEVNET, networkId: 1 }], 'networks.0.networkId: is that of mainnet or fuji'],
    ['an id that is none', [{ ...DEVNET, networkId: 0 }], 'networks.0.networkId: '],
    ['two networks with one id', [DEVNET, { ...DEVNET, name: 'other' }], 'two networks have one networkId'],
    ['two networks with one name', [DEVNET, { ...DEVNET, networkId: 15 }], 'two networks have one name'],
    ['neither nodes nor peers', [{ ...DEVNET, nodeUrls: [] }], 'network devnet14: it needs nodeUrls'],
    [
      'nodes whose variable is not set',
      [{ ...DEVNET, nodeUrls: ['${NONE}'] }],
      'network devnet14: it needs nodeUrls',
    ],
    [
      'a node that is no URL',
      [{ ...DEVNET, nodeUrls: ['here'] }],
      'network devnet14: nodeUrls: must be URLs',
    ],
    [
      'a peer that is none',
      [{ ...DEVNET, bootstrappers: ['10.0.0.1:9651'] }],
      'bootstrappers.0: must look like NodeID-',
    ],
    ['an unknown setting', [{ ...DEVNET, nodeUrl: 'http://x' }], 'nodeUrl'],
    ['a file that is missing', [{ ...DEVNET, genesisFile: 'none.json' }], 'network devnet14: genesisFile: '],
    [
      'the genesis of another network',
      [DEVNET, { ...DEVNET, name: 'other', networkId: 114, genesisFile: 'genesis-14.json' }],
      'network other: genesisFile: it is of network 14, not 114',
    ],
    [
      'an upgrade at no time',
      [{ ...DEVNET, upgrades: { etnaTime: 'soon' } }],
      'networks.0.upgrades: an upgrade time is not a time',
    ],
  ])('refuses %s, and names the file', async (_, networks, text) => {
    const file = await writeNetworksFile(networks);
    const problem = `NETWORKS_FILE: ${file} cannot be used: `;
    expect(() => readNetworksFile(file, {})).toThrow(problem);
    expect(() => readNetworksFile(file, {})).toThrow(text);
  });

  it.each(['{}', JSON.stringify({ gzippedBase64: 'AAAA' })])('refuses %s as a genesis', async (content) => {
    const file = await writeNetworksFile([DEVNET]);
    writeFileSync(join(dirname(file), 'genesis-14.json'), content);
    expect(() => readNetworksFile(file, {})).toThrow('is no genesis as generate.go writes it');
  });

  it('refuses a file that is not there', () => {
    expect(() => readNetworksFile('/none/networks.json', {})).toThrow(
      'NETWORKS_FILE: /none/networks.json cannot be used',
    );
  });
});
