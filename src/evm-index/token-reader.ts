import type { EvmClient } from '../avalanche/evm/evm-client.js';
import type { Address } from '../avalanche/evm/hex-values.js';
import type { BlockWithMovements } from '../avalanche/evm/movement-reader.js';
import { readTokenMetadata, type TokenMetadata } from '../avalanche/evm/token-metadata.js';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import type { EvmChainRef } from '../database/chains.js';
import type { EvmIndexRepository } from './evm-index.repository.js';

/** A contract is seven calls. */
const CONTRACTS_PER_REQUEST = 100;
/** Some 10 MB; the database knows the others. */
const MAX_KNOWN = 100_000;

/** Metadata of the token contracts that blocks speak of, each asked for once. */
export class TokenReader {
  private readonly known = new Set<Address>();

  constructor(
    private readonly repository: EvmIndexRepository,
    private readonly chain: EvmChainRef,
  ) {}

  /** Of the contracts that are not on record yet. */
  async readNew(
    client: EvmClient,
    blocks: readonly BlockWithMovements[],
    signal: AbortSignal,
  ): Promise<TokenMetadata[]> {
    const contracts = [...tokensIn(blocks)].filter((contract) => !this.known.has(contract));
    if (contracts.length === 0) return [];
    const onRecord = new Set(await this.repository.findKnownTokens(this.chain, contracts));
    const unknown = contracts.filter((contract) => !onRecord.has(contract));
    const tokens: TokenMetadata[] = [];
    for (let at = 0; at < unknown.length; at += CONTRACTS_PER_REQUEST) {
      tokens.push(...(await read(client, unknown.slice(at, at + CONTRACTS_PER_REQUEST), signal)));
    }
    this.remember(contracts);
    return tokens;
  }

  /** What was read may not have been written, or is gone. */
  forget(): void {
    this.known.clear();
  }

  private remember(contracts: readonly Address[]): void {
    for (const contract of contracts) this.known.add(contract);
    for (const oldest of this.known) {
      if (this.known.size <= MAX_KNOWN) break;
      this.known.delete(oldest);
    }
  }
}

function tokensIn(blocks: readonly BlockWithMovements[]): Set<Address> {
  const contracts = new Set<Address>();
  for (const { movements } of blocks) {
    for (const { kind, contract } of movements) {
      if (contract !== null && (kind === 'ERC20' || kind === 'ERC721' || kind === 'ERC1155')) {
        contracts.add(contract);
      }
    }
  }
  return contracts;
}

/** A contract that a node cannot ask, time after time, while it answers other questions, has no metadata: it would stop us for ever. */
async function read(
  client: EvmClient,
  contracts: readonly Address[],
  signal: AbortSignal,
): Promise<TokenMetadata[]> {
  try {
    return await readTokenMetadata({ client, contracts, signal });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const [only] = contracts;
    if (only === undefined) return [];
    if (contracts.length > 1) {
      const each = [];
      for (const contract of contracts) each.push(...(await read(client, [contract], signal)));
      return each;
    }
    await client.blockNumber({ signal });
    return [{ contract: only, name: null, symbol: null, decimals: null, standard: null }];
  }
}
