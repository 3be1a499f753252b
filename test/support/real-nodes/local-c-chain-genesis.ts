import {
  type BalanceChange,
  readGenesisAllocations,
} from '../../../src/avalanche/evm/transfers/native-mints.js';
import { parseGenesis } from '../../../src/avalanche/platformvm/genesis/genesis.js';
import {
  knownGenesisBytes,
  LOCAL_NETWORK_ID,
} from '../../../src/avalanche/platformvm/genesis/known-genesis.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { EVM_ID } from '../../../src/avalanche/platformvm/vm-ids.js';

/** With what the C-chain of every local network begins. */
export interface CChainGenesis {
  readonly avaxAssetId: Id;
  readonly allocations: readonly BalanceChange[];
}

export async function localCChainGenesis(): Promise<CChainGenesis> {
  const bytes = await knownGenesisBytes(LOCAL_NETWORK_ID);
  if (bytes === undefined) throw new Error('the genesis of local networks is not known');
  const { avaxAssetId, blockchains } = parseGenesis(bytes);
  const [genesisData] = blockchains.flatMap(({ unsigned }) =>
    unsigned.type === 'CreateChain' && unsigned.vmId === EVM_ID ? [unsigned.genesisData] : [],
  );
  return { avaxAssetId, allocations: readGenesisAllocations(new TextDecoder().decode(genesisData)) };
}
