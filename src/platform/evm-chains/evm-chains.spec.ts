import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idToString } from '../../avalanche/ids/id.js';
import { Config } from '../config/config.module.js';
import { parseEnv } from '../config/env.schema.js';
import { EvmChains } from './evm-chains.js';

const folder = mkdtempSync(join(tmpdir(), 'nds-evm-chains-'));
afterAll(() => rmSync(folder, { recursive: true }));

function chainsIn(name: string, content?: object): EvmChains {
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, JSON.stringify(content));
  return new EvmChains(
    new Config(
      parseEnv({ DATABASE_URL: 'postgres://h/d', EVM_CHAINS_FILE: file, FUJI_NODE_URL: 'http://a:9650' }),
    ),
  );
}

const chain = (chainId: string) => ({
  network: 'fuji',
  chainId,
  blockchainId: idToString(Buffer.alloc(32, Number(chainId))),
  name: `chain ${chainId}`,
  rpcUrls: ['${NODE_URL}/rpc'],
  startHeight: 'tip',
  nativeSymbol: 'AVAX',
  nativeDecimals: 18,
});

describe(EvmChains.name, () => {
  it('knows the chains of the file by their ids', () => {
    const chains = chainsIn('two.json', { chains: [chain('9'), chain('7')] });
    expect(chains.all().map(({ chainId }) => chainId)).toEqual([9n, 7n]);
    expect(chains.byId(7n)).toMatchObject({ name: 'chain 7', rpcUrls: ['http://a:9650/rpc'] });
    expect(chains.of({ network: 'fuji', chainId: 9n })).toBe(chains.byId(9n));
    const notConfigured = expect.objectContaining({ code: 'CHAIN_NOT_CONFIGURED' });
    expect(() => chains.byId(8n)).toThrow(notConfigured);
    expect(() => chains.of({ network: 'mainnet', chainId: 9n })).toThrow(notConfigured);
  });

  it('distinguishes chains of the same id by their networks, and does not guess which one is meant', () => {
    const chains = chainsIn('twins.json', {
      chains: [chain('9'), { ...chain('9'), network: 'mainnet', rpcUrls: ['http://m/rpc'] }],
    });
    expect(chains.of({ network: 'fuji', chainId: 9n })).toMatchObject({ rpcUrls: ['http://a:9650/rpc'] });
    expect(chains.of({ network: 'mainnet', chainId: 9n })).toMatchObject({ rpcUrls: ['http://m/rpc'] });
    expect(() => chains.byId(9n)).toThrow('EVM chain 9 is configured for fuji and mainnet');
  });

  it('has one client for each chain, and more for those who want their own', () => {
    const chains = chainsIn('clients.json', { chains: [chain('9'), chain('7')] });
    const [first, second] = chains.all();
    if (first === undefined || second === undefined) throw new Error('no chains');
    expect(chains.clientOf(first)).toBe(chains.clientOf(first));
    expect(chains.clientOf(first)).not.toBe(chains.clientOf(second));
    expect(chains.connect(first.rpcUrls)).not.toBe(chains.clientOf(first));
    chains.onApplicationShutdown();
  });

  it.each([
    ['a missing file', undefined, /ENOENT/],
    ['a bad one', { chains: 7 }, /chains: /],
  ])('ends the start with the name of the setting and of %s', (_name, content, problem) => {
    const read = () => chainsIn(`bad-${typeof content}.json`, content);
    expect(read).toThrow(/^EVM_CHAINS_FILE: .*bad-\w+\.json cannot be used: /);
    expect(read).toThrow(problem);
  });
});
