import type { DataSource } from 'typeorm';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { blockchainsOf } from '../../../src/avalanche/platformvm/genesis/genesis.js';
import { BlockReplay } from '../../../src/avalanche/platformvm/state/block-replay.js';
import type { StateChanges } from '../../../src/avalanche/platformvm/state/changes.js';
import { genesisState } from '../../../src/avalanche/platformvm/state/genesis-state.js';
import { PChainState } from '../../../src/avalanche/platformvm/state/p-chain-state.js';
import { PChainWriter } from '../../../src/indexes/p-chain/p-chain-writer.js';
import { chainAliases } from '../../../src/indexes/utxos/utxo.js';
import { Database } from '../../../src/platform/database/database.js';
import type { PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';
import { chainOf } from './p-chain-ledger.js';

/** Replays the recording; `afterBlock` decides what is written when, and may give a state to go on with. */
export async function indexRecording(
  recording: PChainRecording,
  database: DataSource,
  afterBlock: (replay: BlockReplay, write: () => Promise<void>) => Promise<PChainState | void>,
): Promise<void> {
  const { genesis, rules } = await chainOf(recording);
  const begun = genesisState(genesis, rules);
  const writer = new PChainWriter(new Database(database));
  let replay = new BlockReplay(begun.state);
  let written: StateChanges['tip'] | undefined;
  const write = async (changes = replay.takeChanges()): Promise<void> => {
    if (changes === null) return;
    await writer.write({
      network: 'fuji',
      after: written,
      changes,
      aliases: chainAliases(blockchainsOf(genesis)),
      identity: { networkId: recording.networkId, genesisId: genesis.id },
      upgrades: rules.upgrades,
      recentBlocks: [],
      avaxAssetId: rules.avaxAssetId,
      getSubnet: (id) => replay.state.getSubnet(id),
    });
    written = changes.tip;
  };
  await write(begun.changes);
  for (const { bytes } of recording.blocks) {
    replay.apply(parseBlock(fromHex(bytes)));
    const state = await afterBlock(replay, () => write());
    if (state instanceof PChainState) replay = new BlockReplay(state);
  }
}
