import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import {
  tryTokenMetadata,
  type TokenMetadata,
  unaskedToken,
} from '../../../avalanche/evm/transfers/token-metadata.js';
import type { Movement } from '../../../avalanche/evm/transfers/transfers.js';
import type { EvmChainRef } from '../../../platform/database/chains.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import type { EvmWriter } from '../rows/evm-writer.js';

/** A contract is three calls. */
const CONTRACTS_PER_REQUEST = 100;
/** Blocks do not wait for names: tokens that were not read by then are asked again later. */
const READ_TIMEOUT_MS = 15_000;
/** Between two looks at what is missing. */
const REFRESHED_AT_ONCE = 20;
/** Some 10 MB; the database knows the others. */
const MAX_KNOWN = 100_000;
/** Between rounds of asking again; twice as long after each round in a row in which no token could be asked. */
const FIRST_REST_MS = 60_000;
const MAX_REST_MS = 3_600_000;

interface BlockOfMovements {
  readonly movements: readonly Pick<Movement, 'kind' | 'contract'>[];
}

type Client = Pick<EvmClient, 'tryContracts'>;

/** Metadata of the token contracts that blocks speak of, each asked for once, and again after some time. */
export class TokenReader {
  private readonly known = new Set<Address>();
  private rest = { until: 0, failures: 0 };

  constructor(
    private readonly repository: Pick<EvmIndexRepository, 'findKnownTokens' | 'findStaleTokens'>,
    private readonly chain: EvmChainRef,
  ) {}

  /** Of the contracts that are not on record yet. One that could not be asked has that as its failure. */
  async readNew(
    client: Client,
    blocks: readonly BlockOfMovements[],
    signal: AbortSignal,
  ): Promise<TokenMetadata[]> {
    const contracts = [...tokensIn(blocks)].filter((contract) => !this.known.has(contract));
    if (contracts.length === 0) return [];
    const onRecord = new Set(await this.repository.findKnownTokens(this.chain, contracts));
    const unknown = contracts.filter((contract) => !onRecord.has(contract));
    const tokens = await read(client, unknown, signal);
    this.remember(contracts);
    return tokens;
  }

  /**
   * At most `limit` tokens that could not be asked, or were asked long ago, with their current metadata; none while it rests. What could
   * not be asked again keeps its earlier metadata.
   */
  async readStale(client: Client, signal: AbortSignal, limit: number): Promise<TokenMetadata[]> {
    if (performance.now() < this.rest.until) return [];
    const stale = await this.repository.findStaleTokens(this.chain, limit);
    const contracts = stale.map(({ contract }) => contract);
    const asked = await read(client, contracts, signal);
    const isInVain = asked.length > 0 && asked.every(hasFailed);
    const failures = isInVain ? this.rest.failures + 1 : 0;
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** Math.max(0, failures - 1));
    // There may be more of them.
    const isAtOnce = asked.length === limit && !isInVain;
    this.rest = { failures, until: isAtOnce ? 0 : performance.now() + restMs };
    return asked.map((token, index) => (hasFailed(token) ? { ...token, ...stale[index] } : token));
  }

  /** The same, written down: what an index does while nothing is missing. Whether there may be more of them. */
  async refresh(
    nodes: EvmNodes,
    writer: Pick<EvmWriter, 'rewriteTokens'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const read = (node: EvmNode) => this.readStale(node.client, signal, REFRESHED_AT_ONCE);
    await writer.rewriteTokens(this.chain, await nodes.askAny(read, signal));
    return this.rest.until === 0;
  }

  /** Metadata that was read may not have been written, or is gone. */
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

function tokensIn(blocks: readonly BlockOfMovements[]): Set<Address> {
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

function hasFailed({ failure }: TokenMetadata): boolean {
  return failure !== undefined;
}

async function read(
  client: Client,
  contracts: readonly Address[],
  signal: AbortSignal,
): Promise<TokenMetadata[]> {
  const patience = AbortSignal.timeout(READ_TIMEOUT_MS);
  const tokens: TokenMetadata[] = [];
  for (let at = 0; at < contracts.length; at += CONTRACTS_PER_REQUEST) {
    const some = contracts.slice(at, at + CONTRACTS_PER_REQUEST);
    tokens.push(...(await readSome(client, some, signal, patience)));
  }
  return tokens;
}

async function readSome(
  client: Client,
  contracts: readonly Address[],
  signal: AbortSignal,
  patience: AbortSignal,
): Promise<TokenMetadata[]> {
  try {
    return await tryTokenMetadata({ client, contracts, signal: AbortSignal.any([signal, patience]) });
  } catch (error) {
    signal.throwIfAborted();
    if (!patience.aborted) throw error;
    return contracts.map((contract) => unaskedToken(contract, `no answer within ${READ_TIMEOUT_MS} ms`));
  }
}
