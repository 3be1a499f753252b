import { describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../ids/hex.js';
import { idFromString, idToString } from '../../ids/id.js';
import { parseGenesis } from '../../platformvm/genesis/genesis.js';
import { packWith } from '../../platformvm/codec/bounded-blob.js';
import { knownGenesisBytes } from '../../platformvm/genesis/known-genesis.js';
import { genesisAssets, parseGenesisAssets } from '../codec/genesis.js';
import { amountOf } from '../../../../test/support/x-chain/avm-values.js';
import { loadAvmGenesis, parseAvmGenesis } from './genesis.js';

const hex = (id: string): string => toHex(idFromString(id));
const text = (id: string): string => idToString(fromHex(id));

const MAINNET = {
  networkId: 1,
  blockchainId: hex('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'),
  avax: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
};
const FUJI = {
  networkId: 5,
  blockchainId: hex('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'),
  avax: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
};
const LOCAL = {
  networkId: 12345,
  blockchainId: hex('2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'),
  avax: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
};

describe(loadAvmGenesis.name, () => {
  it.each([MAINNET, FUJI, LOCAL])(
    'gives AVAX of network $networkId the id that everybody knows',
    async (chain) => {
      const { assets, identity } = await loadAvmGenesis(chain);
      expect(assets.map(({ id, alias }) => [text(id), alias])).toEqual([[chain.avax, 'AVAX']]);
      expect(text(identity.avaxAssetId)).toBe(chain.avax);
      expect(assets[0]?.transaction).toMatchObject({ name: 'Avalanche', symbol: 'AVAX', denomination: 9 });
    },
  );

  it.each([
    { ...MAINNET, outputs: 4_365, nanoAvax: 24_509_771_588_234_718n },
    { ...FUJI, outputs: 10, nanoAvax: 320_000_000_000_000_000n },
    { ...LOCAL, outputs: 2, nanoAvax: 310_000_000_000_000_000n },
  ])(
    'gives all that network $networkId begins with on the X-chain',
    async ({ outputs, nanoAvax, ...chain }) => {
      const { assets } = await loadAvmGenesis(chain);
      const all = assets.flatMap(({ transaction }) =>
        transaction.initialStates.flatMap((state) => state.outputs),
      );
      expect({
        outputs: all.length,
        nanoAvax: all.reduce((sum, output) => sum + amountOf(output), 0n),
      }).toEqual({
        outputs,
        nanoAvax,
      });
    },
  );

  it.each([MAINNET, FUJI, LOCAL])(
    'makes up, with the P-chain, all AVAX that network $networkId began with',
    async (chain) => {
      const platform = parseGenesis((await knownGenesisBytes(chain.networkId))!);
      const { assets } = await loadAvmGenesis(chain);
      const amounts = [
        ...assets
          .flatMap(({ transaction }) => transaction.initialStates.flatMap(({ outputs }) => outputs))
          .map(amountOf),
        ...platform.utxos.map(({ output }) => output.amount),
        ...platform.validators.map(({ unsigned }) =>
          'validator' in unsigned ? unsigned.validator.weight : 0n,
        ),
      ];
      expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(platform.initialSupply);
    },
  );

  it('refuses a chain that is not the X-chain of the network', async () => {
    await expect(loadAvmGenesis({ ...MAINNET, networkId: 5 })).rejects.toMatchObject({
      code: 'UNKNOWN_GENESIS',
    });
    await expect(loadAvmGenesis({ ...MAINNET, networkId: 77 })).rejects.toMatchObject({
      code: 'UNKNOWN_GENESIS',
    });
  });
});

describe(parseAvmGenesis.name, () => {
  it.each([MAINNET, FUJI, LOCAL])('reads all that network $networkId has written', async (chain) => {
    const platform = parseGenesis((await knownGenesisBytes(chain.networkId))!);
    const own = platform.blockchains.find(({ id }) => id === chain.blockchainId);
    if (own?.unsigned.type !== 'CreateChain') throw new Error('no chain');
    const { genesisData } = own.unsigned;
    expect(toHex(packWith(genesisAssets, parseGenesisAssets(genesisData)))).toBe(toHex(genesisData));
  });

  it('refuses a genesis that is cut short', () => {
    expect(() => parseAvmGenesis(fromHex('000000000001'))).toThrow(
      expect.objectContaining({ code: 'MALFORMED' }),
    );
  });
});
