import { Injectable } from '@nestjs/common';
import { type AccountState, readAccountStates } from '../../avalanche/evm/history/account-state.js';
import type { StateQuery } from '../../avalanche/evm/rpc/evm-client.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import { ATOMIC, BASE, TRACES } from '../../indexes/evm/facets/facets.js';
import { Database } from '../../platform/database/database.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { isNodeFailure, type ExportNode, type ExportNodes } from '../rows/export-node.js';
import { type AccountFinding, isReserved, NOTHING_FOUND } from '../search/findings.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { IndexedBlocksRepository } from '../turns/indexed-blocks.repository.js';
import { lacksRows } from '../turns/export-gaps.js';
import type { ExportPosition } from '../turns/export-position.js';
import { type TokenSum, tokenSumsOf } from '../turns/token-sums.js';
import type { EvmExportRequest, ExportProgress } from '../../../workflows/contracts/export-transactions.js';
import {
  type ProofAccount,
  type ProofChain,
  type ProofContent,
  type ProofToken,
  signProof,
} from './export-proof.js';

/** By what the key is known; it never changes. */
const KEY_NAME = 'export-proofs';

/** An export whose rows have come to their end. */
export interface EndedExport {
  readonly request: EvmExportRequest;
  readonly position: ExportPosition;
}

export interface FinishedExport extends EndedExport {
  readonly operationId: string;
  readonly progress: Pick<ExportProgress, 'rows' | 'bytes' | 'nextDate' | 'notes'>;
  /** Of the file's parts, in order. */
  readonly parts: readonly { readonly bytes: number; readonly sha256: string }[];
  readonly chains: readonly ProofChain[];
}

/** Makes the proof of an export that has ended. */
@Injectable()
export class ProofMaker {
  constructor(
    private readonly blocks: IndexedBlocksRepository,
    private readonly secrets: ServiceSecrets,
    private readonly database: Database,
  ) {}

  /**
   * Proves each of the request's chains. While nodes are away, the balances that only they have are left out. Throws the
   * database's errors.
   */
  proveChains(ended: EndedExport, chains: readonly EvmChain[], nodes: ExportNodes): Promise<ProofChain[]> {
    return Promise.all(chains.map((chain) => this.proveChain(chain, ended, nodes.of(chain))));
  }

  /** Puts the proof on record. Throws the database's errors. */
  async record({ operationId, request, position, progress, parts, chains }: FinishedExport): Promise<void> {
    const { rows, bytes, nextDate, notes } = progress;
    const { signers } = position;
    const { chainIds, firstDate, lastDate, timeZone, format } = request;
    const proof: ProofContent = {
      version: 1,
      operationId,
      madeAt: Math.floor(Date.now() / 1_000),
      request: {
        addresses: addressesOf(request),
        signers: [...signers],
        chainIds,
        firstDate,
        lastDate,
        timeZone,
        format,
      },
      nextDate,
      notes,
      file: { bytes, rows, parts: parts.filter((part) => part.bytes > 0) },
      chains: [...chains],
      hasAllTokens: position.tokens.areAll,
    };
    const signed = signProof(proof, await this.secrets.get(KEY_NAME));
    await this.database.execute({
      text: `INSERT INTO export_proofs (operation_id, content) VALUES ($1, $2)
             ON CONFLICT (operation_id) DO UPDATE SET content = excluded.content`,
      values: [operationId, JSON.stringify(signed)],
    });
  }

  private async proveChain(
    chain: EvmChain,
    { request, position }: EndedExport,
    node: ExportNode,
  ): Promise<ProofChain> {
    const { chainId, blockchainId, name } = chain;
    const key = chainId.toString();
    const first = position.firsts[key];
    const behind = position.starts[key];
    const range =
      first === undefined || behind === undefined || first >= behind ? undefined : { first, behind };
    const [blocks, ends, tokens] =
      range === undefined
        ? [null, new Map<Address, Ends>(), []]
        : await Promise.all([
            this.blocksOf(chain, range, node),
            endsOf(request, range, { position, key, node }),
            tokensOf(tokenSumsOf(position.tokens, chainId), range, node),
          ]);
    const isIncomplete = lacksRows(position.gaps, key);
    const accounts = addressesOf(request).map((address): ProofAccount => {
      const found = position.findings[key]?.accounts[address];
      const { opening, closing } = ends.get(address) ?? UNKNOWN;
      return {
        address,
        rule: ruleOf(position, address, { found, isIncomplete }),
        opening: textsOf(opening),
        closing: textsOf(closing),
        changes: found?.changes ?? 0,
        unnamed: found?.unnamed ?? 0,
        tokens: tokens.filter(({ account }) => account === address).map(({ token }) => token),
      };
    });
    const decoders = Object.fromEntries([BASE, TRACES, ATOMIC].map((facet) => [facet.name, facet.version]));
    return { chainId: key, blockchainId, name, blocks, decoders, nodes: node.hosts, accounts };
  }

  private async blocksOf(
    chain: EvmChain,
    { first, behind }: Heights,
    node: ExportNode,
  ): Promise<ProofChain['blocks']> {
    const ends = [];
    for (const height of [first, behind - 1n]) {
      const hash = (await this.blocks.hashOf(chain, height)) ?? (await orNothing(node.header(height)))?.hash;
      if (hash === undefined) return null;
      ends.push({ height: height.toString(), hash });
    }
    const [begin, end] = ends;
    return begin === undefined || end === undefined ? null : { first: begin, last: end };
  }
}

interface Heights {
  readonly first: bigint;
  readonly behind: bigint;
}

interface Ends {
  readonly opening: AccountState | null;
  readonly closing: AccountState | null;
}

const UNKNOWN: Ends = { opening: null, closing: null };
const BEFORE_ALL: AccountState = { nonce: 0n, balance: 0n };

/** By account: as a search has found them, otherwise as a node answers now; those that no node can answer are left out. */
async function endsOf(
  request: EvmExportRequest,
  { first, behind }: Heights,
  {
    position,
    key,
    node,
  }: { readonly position: ExportPosition; readonly key: string; readonly node: ExportNode },
): Promise<ReadonlyMap<Address, Ends>> {
  const range = { from: first - 1n, to: behind - 1n };
  const ends = new Map<Address, Ends>();
  const unknown: Address[] = [];
  for (const address of addressesOf(request)) {
    const ranges = position.findings[key]?.accounts[address]?.ranges ?? [];
    const opening = ranges.find(({ from }) => from === range.from)?.opening;
    const closing = ranges.find(({ to }) => to === range.to)?.closing;
    if (opening === undefined || closing === undefined) unknown.push(address);
    else ends.set(address, { opening, closing });
  }
  if (unknown.length === 0) return ends;
  const read = (queries: readonly StateQuery[]) => node.states(queries, range);
  const heights = [range.from, range.to].filter((height) => height >= 0n);
  const places = heights.flatMap((height) => unknown.map((address) => ({ address, height })));
  const states = await orNothing(readAccountStates(places, read));
  if (states === undefined) return ends;
  const [opening, closing] = range.from < 0n ? [[], states] : [states, states.slice(unknown.length)];
  for (const [index, address] of unknown.entries()) {
    ends.set(address, { opening: opening[index] ?? BEFORE_ALL, closing: closing[index] ?? null });
  }
  return ends;
}

/** In the order of the sums. */
async function tokensOf(
  sums: readonly TokenSum[],
  { first, behind }: Heights,
  node: ExportNode,
): Promise<{ readonly account: Address; readonly token: ProofToken }[]> {
  const range = { from: first - 1n, to: behind - 1n };
  const places = [range.from, range.to].flatMap((height) => sums.map((sum) => ({ ...sum, height })));
  // Nobody has any token before the first block.
  const known = places.filter(({ height }) => height >= 0n);
  const found = known.length === 0 ? [] : await orNothing(node.tokenBalances(known, range));
  const balances = [...places.slice(known.length).map(() => 0n), ...(found ?? [])];
  return sums.map(({ account, contract, tokenId, sum }, index) => ({
    account,
    token: {
      contract,
      tokenId: tokenId?.toString() ?? null,
      rows: sum.toString(),
      opening: balances[index]?.toString() ?? null,
      closing: balances[sums.length + index]?.toString() ?? null,
    },
  }));
}

function textsOf(state: AccountState | null): { nonce: string; balance: string } | null {
  return state === null ? null : { nonce: state.nonce.toString(), balance: state.balance.toString() };
}

function ruleOf(
  { findings, signers }: ExportPosition,
  address: Address,
  { found, isIncomplete }: { found: AccountFinding | undefined; isIncomplete: boolean },
): ProofAccount['rule'] {
  if (found === undefined && !isIncomplete) return 'indexed';
  if (isReserved(address)) return 'reserved';
  if (isIncomplete) return 'incomplete';
  if (found?.isContract === true) return 'contract';
  if (signers.includes(address)) return 'signed';
  const all = Object.values(findings).map(({ accounts }) => accounts[address] ?? NOTHING_FOUND);
  return all.some(({ hasSigned }) => hasSigned) ? 'signed' : 'unsigned';
}

function addressesOf({ addresses }: EvmExportRequest): Address[] {
  return addresses.map((address) => readAddress(address, 'address'));
}

/** undefined while no node can answer. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNodeFailure(error)) return undefined;
    throw error;
  }
}
