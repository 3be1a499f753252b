import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { fromHex, toHex } from '../../ids/hex.js';
import { idFromString, idToString } from '../../ids/id.js';
import { PlatformVmError } from '../platformvm.error.js';
import { utxoId } from '../utxo-id.js';
import { packGenesisFields, parseGenesisFields } from './genesis-bytes.js';
import { loadGenesis, parseGenesis } from './genesis.js';
import { knownGenesisBytes } from './known-genesis.js';
import { AVAX } from '../state/chain-rules.js';

const GENESIS_TIME = 1_599_696_000;

/** Parent ids of the block 0 of each network, as its nodes show them. */
const MAINNET = 'UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk';
const FUJI = 'MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3';

/** sha256 of avalanchego's genesis.FromConfig for network 12345, by the number of steps that its start moved. */
const LOCAL_BY_STEP = [
  'ead4959a97aff56a3c7e3153143036183c9d18bbbe44a658b459a524e1ad74f2',
  '6b601ac09167fdacd83b491971413c059369d348a0eb097c6c8ab68d937e8437',
  '5c23e336aa6dc99a5e5424d005a439193f25b434fb62d815dc3c224e132c4310',
  '76164e9619e3b1c79c4b6bcaa8585fb95328e60480ac9e40da0539fe23260e0c',
  '8b0c4efb794382b4986d86a969b925ee63c752087b52471ac3cff6761cb1912f',
  'e25460feeb9ae783c9776690426a669d178833eb70d96017aa47b5e8baea064b',
] as const;
const LOCAL_START = 1_721_016_000;
const STEP_SECONDS = 270 * 24 * 3600;

const load = (networkId: number, id: string) => loadGenesis({ networkId, id: toHex(idFromString(id)) });
const text = (id: string): string => idToString(fromHex(id));

function stakeOf(genesis: Awaited<ReturnType<typeof load>>): bigint {
  return genesis.validators.reduce(
    (sum, { unsigned }) => sum + ('validator' in unsigned ? unsigned.validator.weight : 0n),
    0n,
  );
}

afterEach(() => {
  jest.useRealTimers();
});

describe(loadGenesis.name, () => {
  it('gives that of mainnet', async () => {
    const genesis = await load(1, MAINNET);
    expect(text(genesis.id)).toBe(MAINNET);
    expect(genesis).toMatchObject({
      networkId: 1,
      time: GENESIS_TIME,
      initialSupply: 359_999_999_999_990_210n,
    });
    expect(text(genesis.avaxAssetId)).toBe('FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z');
    expect(genesis.utxos).toHaveLength(15_344);
    expect(genesis.utxos.every(({ output }) => output.stakeableLocktime !== null)).toBe(true);
    expect(genesis.validators).toHaveLength(75);
    expect(genesis.blockchains.map(({ id, unsigned }) => [unsigned.type, text(id)])).toEqual([
      ['CreateChain', '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'],
      ['CreateChain', '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'],
    ]);
  });

  it('gives that of Fuji', async () => {
    const genesis = await load(5, FUJI);
    expect(text(genesis.id)).toBe(FUJI);
    expect(genesis).toMatchObject({
      networkId: 5,
      time: GENESIS_TIME,
      initialSupply: 360_000_000n * AVAX,
      utxos: [],
    });
    expect(text(genesis.avaxAssetId)).toBe('U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK');
    expect(genesis.validators).toHaveLength(20);
    expect(genesis.blockchains.map(({ id }) => text(id))).toEqual([
      '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
      'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    ]);
  });

  it.each(LOCAL_BY_STEP.map((id, step) => ({ id, step })))(
    'gives that of a local network which started after $step steps of 270 days',
    async ({ id, step }) => {
      jest.useFakeTimers({ now: (LOCAL_START + step * STEP_SECONDS) * 1000 });
      const genesis = await loadGenesis({ networkId: 12345, id });
      expect(genesis).toMatchObject({
        id,
        networkId: 12345,
        time: LOCAL_START + step * STEP_SECONDS,
        initialSupply: 360_000_000n * AVAX,
      });
      expect(text(genesis.avaxAssetId)).toBe('2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe');
      expect(genesis.utxos.map(({ output }) => output.amount)).toHaveLength(3);
      expect(genesis.validators.map(({ unsigned }) => unsigned.type)).toEqual(
        Array(5).fill('AddPermissionlessValidator'),
      );
      expect(genesis.blockchains.map((chain) => text(chain.id))).toEqual([
        '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
        '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
      ]);
    },
  );

  it('takes a local network from the next step on, and none from further in the future', async () => {
    jest.useFakeTimers({ now: LOCAL_START * 1000 });
    await expect(loadGenesis({ networkId: 12345, id: LOCAL_BY_STEP[1] })).resolves.toBeDefined();
    await expect(loadGenesis({ networkId: 12345, id: LOCAL_BY_STEP[2] })).rejects.toMatchObject({
      code: 'UNKNOWN_GENESIS',
    });
  });

  it.each([1, 5, 12345])('refuses a genesis that is not that of network %d', async (networkId) => {
    const id = 'ab'.repeat(32);
    await expect(loadGenesis({ networkId, id })).rejects.toMatchObject({
      code: 'UNKNOWN_GENESIS',
      message: expect.stringContaining(text(id)),
    });
  });

  it('names the networks that it knows when asked for another', async () => {
    await expect(loadGenesis({ networkId: 1337, id: '00'.repeat(32) })).rejects.toMatchObject({
      code: 'UNKNOWN_GENESIS',
      message:
        'the genesis of network 1337 is not known; those of mainnet (1), Fuji (5) and the local network (12345) are',
    });
  });
});

describe(parseGenesis.name, () => {
  it.each([1, 5, 12345])('accounts for all AVAX of network %d', async (networkId) => {
    const genesis = parseGenesis((await knownGenesisBytes(networkId))!);
    const onPlatformChain = genesis.utxos.reduce((sum, { output }) => sum + output.amount, stakeOf(genesis));
    expect(onPlatformChain).toBeLessThanOrEqual(genesis.initialSupply); // the rest is on the X-chain
    expect(onPlatformChain).toBeGreaterThan(0n);
  });

  it.each([1, 5, 12345])('reads all that network %d has written', async (networkId) => {
    const bytes = (await knownGenesisBytes(networkId))!;
    expect(Buffer.from(packGenesisFields(parseGenesisFields(bytes))).equals(bytes)).toBe(true);
  });

  it('numbers the UTXOs as nodes do', () => {
    expect(text(utxoId('00'.repeat(32), 0))).toBe('LUC1cmcxnfNR9LdkACS2ccGKLEK7SYqB4gLLTycQfg1koyfSq');
  });

  it('refuses what is no genesis with a PlatformVmError', async () => {
    const bytes = (await knownGenesisBytes(12345))!;
    const expectRefused = (changed: Uint8Array): void => {
      try {
        parseGenesis(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(PlatformVmError);
      }
    };
    for (let length = 0; length < bytes.length; length += 13) {
      expect(() => parseGenesis(bytes.subarray(0, length))).toThrow(PlatformVmError);
    }
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (place, bits) => {
        const changed = Uint8Array.from(bytes);
        changed[place]! ^= bits;
        expectRefused(changed);
      }),
    );
  });
});
