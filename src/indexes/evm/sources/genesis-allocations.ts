import { Injectable, Logger } from '@nestjs/common';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { type BalanceChange, readGenesisAllocations } from '../../../avalanche/evm/transfers/native-mints.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import { parseGenesis } from '../../../avalanche/platformvm/genesis/genesis.js';
import { knownGenesisBytes, LOCAL_NETWORK_ID } from '../../../avalanche/platformvm/genesis/known-genesis.js';
import { evmChainKey } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';

type CreatedChain = Pick<EvmChain, 'network' | 'chainId' | 'blockchainId'>;

/** Network ids by the EVM chain ids of their C-chains. */
const NETWORK_IDS: ReadonlyMap<bigint, number> = new Map([
  [43114n, 1],
  [43113n, 5],
  [43112n, LOCAL_NETWORK_ID],
]);

/**
 * With which balances chains begin. No node of an EVM chain reports them: of a C-chain it stands in the network's known genesis, of other
 * chains in the transaction that created them, which the index of the P-chain has.
 */
@Injectable()
export class GenesisAllocations {
  private readonly logger = new Logger('EvmIndex');
  private readonly known = new Map<bigint, readonly BalanceChange[]>();

  constructor(private readonly database: Database) {}

  /** Undefined while the index of the P-chain has not come to the chain's creation. */
  async of(chain: CreatedChain): Promise<readonly BalanceChange[] | undefined> {
    const key = evmChainKey(chain);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const genesis = (await findKnownGenesis(chain)) ?? (await this.findCreation(chain));
    if (genesis === undefined) return undefined;
    const allocations = this.read(chain, genesis);
    this.known.set(key, allocations);
    return allocations;
  }

  private read({ blockchainId }: CreatedChain, genesis: Uint8Array): readonly BalanceChange[] {
    try {
      return readGenesisAllocations(new TextDecoder().decode(genesis));
    } catch (error) {
      if (!(error instanceof EvmError)) throw error;
      this.logger.warn(`what ${blockchainId} allocates at its genesis cannot be read: ${error.message}`);
      return [];
    }
  }

  private async findCreation({ network, blockchainId }: CreatedChain): Promise<Uint8Array | undefined> {
    const [row] = await this.database.query<{ genesis_data: Buffer }>({
      text: 'SELECT genesis_data FROM blockchains WHERE network = $1 AND blockchain_id = $2',
      values: [network, Buffer.from(idFromString(blockchainId))],
    });
    return row?.genesis_data;
  }
}

/** Only that of the very chain: local networks may be made of another genesis. */
async function findKnownGenesis({ chainId, blockchainId }: CreatedChain): Promise<Uint8Array | undefined> {
  const networkId = NETWORK_IDS.get(chainId);
  const bytes = networkId === undefined ? undefined : await knownGenesisBytes(networkId);
  if (bytes === undefined) return undefined;
  const id = Buffer.from(idFromString(blockchainId)).toString('hex');
  for (const { id: txId, unsigned } of parseGenesis(bytes).blockchains) {
    if (txId === id && unsigned.type === 'CreateChain') return unsigned.genesisData;
  }
  return undefined;
}
