import { describe, expect, it } from '@jest/globals';
import { parseOptions } from './embedded-options.js';

describe(parseOptions.name, () => {
  it('embeds everything when nothing is configured; an empty variable is the same', () => {
    const options = parseOptions({ DATABASE_URL: '', FUJI_NODE_URL: '' }, '/project');
    expect(options).toEqual(parseOptions({}, '/project'));
    expect(options).toMatchObject({
      dataFolder: '/project/.data',
      ports: { api: 3000, postgres: 5432, temporal: 7233, temporalUi: 8233, sandbox: 9650 },
      databaseUrl: undefined,
      temporalAddress: undefined,
      sandboxNetworks: ['fuji', 'mainnet'],
    });
  });

  it('leaves out what is given from outside', () => {
    const env = {
      DATA_DIR: '/data',
      DATABASE_URL: 'postgres://db/nds',
      TEMPORAL_ADDRESS: 'temporal:7233',
      MAINNET_NODE_URL: 'https://node',
    };
    expect(parseOptions(env, '/project')).toMatchObject({
      dataFolder: '/data',
      databaseUrl: 'postgres://db/nds',
      temporalAddress: 'temporal:7233',
    });
  });

  it.each([
    ['a node', { MAINNET_NODE_URL: 'https://node' }, [{ name: 'mainnet', hasNode: true }]],
    ['a network without a node', { NETWORKS: 'fuji' }, [{ name: 'fuji', hasNode: false }]],
    ['a file of networks', { NETWORKS_FILE: 'networks.json' }, []],
  ])('simulates nothing beside %s', (_, env, realNetworks) => {
    expect(parseOptions(env, '/project')).toMatchObject({ sandboxNetworks: [], realNetworks });
  });

  it('takes any port for all parts when the API does', () => {
    const ports = { api: 0, postgres: 0, temporal: 0, temporalUi: 0, sandbox: 0 };
    expect(parseOptions({ PORT: '0' }, '/project').ports).toEqual(ports);
  });

  it('names PORT when it is wrong', () => {
    expect(() => parseOptions({ PORT: '70000' }, '/project')).toThrow('PORT');
  });
});
