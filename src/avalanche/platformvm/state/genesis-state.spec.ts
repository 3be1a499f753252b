import { describe, expect, it } from '@jest/globals';
import { toHex } from '../../ids/hex.js';
import { idFromString } from '../../ids/id.js';
import { packBlock, parseBlock } from '../codec/block.js';
import { loadGenesis } from '../genesis/genesis.js';
import { PRIMARY_NETWORK } from '../ids.js';
import { BlockReplay } from './block-replay.js';
import { makeChainRules } from './chain-rules.js';
import { genesisState } from './genesis-state.js';
import type { Validator } from './records.js';

const NEVER = 253_399_622_400;
const UPGRADES = { banff: NEVER, cortina: NEVER, durango: NEVER, etna: NEVER, helicon: NEVER };

/** Supply and rewards: computed with avalanchego v1.14.2's reward.Calculator over its own genesis of these networks. */
const NETWORKS = [
  {
    name: 'mainnet',
    networkId: 1,
    id: 'UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk',
    supply: 364_013_001_565_916_650n,
    utxos: 15_344,
    validators: 75,
    first: [
      '2rQU7nLtsP5BUaz8EtRcmH5W8e7MqdPZe55Zc4Kc5yrVgkLbmC',
      2_148_637_041_310_546n,
      52_608_590_714_265n,
    ],
    last: ['4GBnxbAA6dhhKuVZ3u1JjC3vopswW7FnbDcih5i474pPFuZrV', 2_148_637_041_310_487n, 51_699_615_899_314n],
  },
  {
    name: 'fuji',
    networkId: 5,
    id: 'MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3',
    supply: 364_651_610_969_869_743n,
    utxos: 0,
    validators: 20,
    first: [
      'TdoZgvfDCs42jxihsb1coBY7rrhibDj56RH3UDFzkzFFQyGQo',
      2_000_000_000_000_000n,
      230_932_750_046_913n,
    ],
    last: [
      '25yDypVdxt6qHs95TWpSLQLC7B4XKLgt8JCpx9d4FeVSfMW5fp',
      2_000_000_000_000_000n,
      233_245_078_365_594n,
    ],
  },
] as const;

const hexOf = (cb58: string): string => toHex(idFromString(cb58));

describe.each(NETWORKS)(
  'the genesis of $name',
  ({ networkId, id, supply, utxos, validators, first, last }) => {
    const start = async () => {
      const genesis = await loadGenesis({ networkId, id: hexOf(id) });
      const rules = makeChainRules({ networkId, avaxAssetId: genesis.avaxAssetId, upgrades: UPGRADES });
      return { genesis, ...genesisState(genesis, rules) };
    };

    it('promises every validator what the node promises, and adds it to the supply', async () => {
      const { state, changes } = await start();
      expect(state.getStake(PRIMARY_NETWORK)?.supply).toBe(supply);
      const stakers = [...changes.stakers.values()] as Validator[];
      expect(stakers).toHaveLength(validators);
      const brief = (validator: Validator | undefined) => [
        validator?.txId,
        validator?.weight,
        validator?.potentialReward,
      ];
      expect(brief(stakers[0])).toEqual([hexOf(first[0]), first[1], first[2]]);
      expect(brief(stakers.at(-1))).toEqual([hexOf(last[0]), last[1], last[2]]);
      expect(stakers.every(({ status }) => status === 'active')).toBe(true);
    });

    it('accounts for every unit: free outputs, locked ones and stakes of the P-chain', async () => {
      const { genesis, changes } = await start();
      const staked = changes.createdUtxos.filter(({ stake }) => stake !== null);
      const free = changes.createdUtxos.filter(({ stake }) => stake === null);
      expect(free).toHaveLength(utxos);
      const sum = (amounts: readonly { output: { amount: bigint } }[]) =>
        amounts.reduce((total, { output: { amount } }) => total + amount, 0n);
      const weights = [...changes.stakers.values()].reduce((total, { weight }) => total + weight, 0n);
      expect(sum(staked)).toBe(weights);
      expect(sum(free) + sum(staked)).toBeLessThanOrEqual(genesis.initialSupply);
      expect(changes.stakes.get(PRIMARY_NETWORK)?.totalWeight).toBe(weights);
    });

    it('names the three chains of the primary network', async () => {
      const { changes } = await start();
      expect(changes.blockchains.map(({ name, blockHeight }) => [name, blockHeight])).toEqual([
        ['P-Chain', -1n],
        ['X-Chain', -1n],
        ['C-Chain', -1n],
      ]);
    });

    it('is followed by block 0 and by no other', async () => {
      const { state, genesis } = await start();
      const replay = new BlockReplay(state);
      const zero = parseBlock(packBlock({ type: 'ApricotCommit', parentId: genesis.id, height: 0n }));
      expect(() => replay.apply({ ...zero, parentId: 'ab'.repeat(32) })).toThrow(/does not follow/);
      replay.apply(zero);
      expect(replay.takeChanges()?.tip).toMatchObject({ height: 0n, blockId: zero.id, time: genesis.time });
    });
  },
);
