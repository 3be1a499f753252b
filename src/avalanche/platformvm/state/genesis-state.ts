import { blockId, packBlock } from '../codec/block.js';
import type { Genesis } from '../genesis/genesis.js';
import { type Id, PRIMARY_NETWORK } from '../ids.js';
import type { Transaction } from '../transaction.js';
import { PLATFORM_VM_ID } from '../vm-ids.js';
import type { ChainRules } from './chain-rules.js';
import type { StateChanges } from './changes.js';
import { PChainState } from './p-chain-state.js';
import { addStaker } from './stakers.js';
import { mismatch, StateDiff } from './state-diff.js';

/** Height of the genesis itself: block 0 comes after it. */
const GENESIS_HEIGHT = -1n;

/**
 * The state before block 0, and the rows that make it up (avalanchego v1.14.2 vms/platformvm/state/state.go,
 * syncGenesis). Genesis validators run at once; their rewards follow from the supply in the order of the genesis.
 */
export function genesisState(
  genesis: Genesis,
  rules: ChainRules,
): { state: PChainState; changes: StateChanges } {
  const tip = {
    height: GENESIS_HEIGHT,
    blockId: genesis.id,
    time: genesis.time,
    accruedFees: 0n,
    validatorExcess: 0n,
  };
  const state = new PChainState({ tip, stakers: [], stakes: [], subnets: [], l1Validators: [] }, rules);
  const diff = new StateDiff(state, 0n, idOfBlock0(genesis.id));
  diff.putStake({ subnetId: PRIMARY_NETWORK, supply: genesis.initialSupply, totalWeight: 0n });
  diff.putSubnet({
    subnetId: PRIMARY_NETWORK,
    blockHeight: GENESIS_HEIGHT,
    blockTime: genesis.time,
    owner: null,
    transformation: null,
    conversion: null,
  });
  genesis.utxos.forEach(({ assetId, output }, outputIndex) => {
    diff.createUtxo({ txId: PRIMARY_NETWORK, outputIndex, assetId, output });
  });
  for (const validator of genesis.validators) addGenesisValidator(diff, validator);
  addGenesisBlockchains(diff, genesis);
  const changes = diff.finish({ height: GENESIS_HEIGHT, blockId: genesis.id });
  state.commit(changes);
  return { state, changes };
}

/** It holds nothing but the genesis's id. */
function idOfBlock0(genesisId: Id): Id {
  return blockId(packBlock({ type: 'ApricotCommit', parentId: genesisId, height: 0n }));
}

function addGenesisValidator(diff: StateDiff, { id, unsigned: tx }: Transaction): void {
  if (tx.type !== 'AddValidator' && tx.type !== 'AddPermissionlessValidator') {
    throw mismatch(`${tx.type} is no genesis validator`);
  }
  addStaker(diff, id, tx, { startsAtOnce: true });
}

function addGenesisBlockchains(diff: StateDiff, genesis: Genesis): void {
  const common = { subnetId: PRIMARY_NETWORK, blockHeight: GENESIS_HEIGHT, blockTime: genesis.time };
  diff.blockchains.push({
    ...common,
    blockchainId: PRIMARY_NETWORK,
    name: 'P-Chain',
    vmId: PLATFORM_VM_ID,
    fxIds: [],
    genesisData: new Uint8Array(),
  });
  for (const { id, unsigned: tx } of genesis.blockchains) {
    if (tx.type !== 'CreateChain') throw mismatch(`${tx.type} creates no blockchain`);
    const { chainName: name, vmId, fxIds, genesisData } = tx;
    diff.blockchains.push({ ...common, blockchainId: id, name, vmId, fxIds, genesisData });
  }
}
