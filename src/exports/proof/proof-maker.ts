import { Injectable } from '@nestjs/common';
import type { AccountState } from '../../avalanche/evm/history/account-history.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { readAddress } from '../../avalanche/evm/rpc/hex-values.js';
import { ATOMIC, BASE, TRACES } from '../../indexes/evm/facets/facets.js';
import { Database } from '../../platform/database/database.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { isNodeFailure, type ExportNode, type ExportNodes } from '../rows/export-node.js';
import type { AccountFinding } from '../search/findings.js';
import { isReserved, NOTHING_FOUND } from '../search/findings.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { IndexedBlocksRepository } from '../turns/indexed-blocks.repository.js';
import type { ExportPosition } from '../turns/export-position.js';
import type { ExportProgress, ExportRequest } from '../../../workflows/contracts/export-transactions.js';
import { type ProofAccount, type ProofChain, type ProofContent, signProof } from './export-proof.js';

/** By what the key is known; it never changes. */
const KEY_NAME = 'export-proofs';

export interface FinishedExport {
  readonly operationId: string;
  readonly request: ExportRequest;
  readonly position: ExportPosition;
  readonly progress: Pick<ExportProgress, 'rows' | 'bytes' | 'nextDate' | 'notes'>;
  /** Of the file's parts, in order. */
  readonly parts: readonly { readonly bytes: number; readonly sha256: string }[];
  readonly chains: readonly EvmChain[];
}

/** Makes the proof of an export that has ended. A node that is away leaves out what only it could tell. */
@Injectable()
export class ProofMaker {
  constructor(
    private readonly blocks: IndexedBlocksRepository,
    private readonly secrets: ServiceSecrets,
    private readonly database: Database,
  ) {}

  /** Throws what the database says. */
  async make(finished: FinishedExport, nodes: ExportNodes): Promise<void> {
    const { operationId, request, progress, parts } = finished;
    const chains: ProofChain[] = [];
    for (const chain of finished.chains) chains.push(await this.proveChain(chain, finished, nodes.of(chain)));
    const { rows, bytes, nextDate, notes } = progress;
    const proof: ProofContent = {
      version: 1,
      operationId,
      madeAt: Math.floor(Date.now() / 1_000),
      request: { ...request, addresses: addressesOf(request) },
      nextDate,
      notes,
      file: { bytes, rows, parts: parts.filter((part) => part.bytes > 0) },
      chains,
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
    { request, position }: FinishedExport,
    node: ExportNode,
  ): Promise<ProofChain> {
    const { chainId, blockchainId, name } = chain;
    const key = chainId.toString();
    const first = position.firsts[key];
    const behind = position.starts[key];
    const range =
      first === undefined || behind === undefined || first >= behind ? undefined : { first, behind };
    const blocks = range === undefined ? null : await this.endsOf(chain, range, node);
    const addresses = addressesOf(request);
    const foundOf = (address: Address) => position.findings[key]?.accounts[address];
    const unknown = addresses.filter(
      (address) => range !== undefined && searchedEnds(foundOf(address), range) === undefined,
    );
    const asked = range === undefined ? undefined : await statesAt(unknown, range, node);
    const accounts = addresses.map((address): ProofAccount => {
      const found = foundOf(address);
      const ends = (range && searchedEnds(found, range)) ?? asked?.get(address);
      return {
        address,
        rule: ruleOf(position, address, found),
        opening: ends?.opening ?? null,
        closing: ends?.closing ?? null,
        changes: found?.changes ?? 0,
        unnamed: found?.unnamed ?? 0,
      };
    });
    const decoders = Object.fromEntries([BASE, TRACES, ATOMIC].map((facet) => [facet.name, facet.version]));
    return { chainId: key, blockchainId, name, blocks, decoders, nodes: node.hosts, accounts };
  }

  private async endsOf(
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

/** What a search has learnt already. */
function searchedEnds(found: AccountFinding | undefined, { first, behind }: Heights) {
  const opening = found?.ranges.find(({ from }) => from === first - 1n)?.opening;
  const closing = found?.ranges.find(({ to }) => to === behind - 1n)?.closing;
  if (opening === undefined || closing === undefined) return undefined;
  return { opening: textsOf(opening), closing: textsOf(closing) };
}

function textsOf({ nonce, balance }: AccountState): { nonce: string; balance: string } {
  return { nonce: nonce.toString(), balance: balance.toString() };
}

interface Ends {
  readonly opening: { readonly nonce: string; readonly balance: string };
  readonly closing: { readonly nonce: string; readonly balance: string };
}

/** Of all at once; undefined where no node can tell now. */
async function statesAt(
  addresses: readonly Address[],
  { first, behind }: Heights,
  node: ExportNode,
): Promise<ReadonlyMap<Address, Ends> | undefined> {
  if (addresses.length === 0) return new Map();
  const range = { from: first - 1n, to: behind - 1n };
  const heights = [range.from, range.to].filter((height) => height >= 0n);
  const queries = addresses.flatMap((address) =>
    heights.flatMap((height) => [
      { address, field: 'nonce' as const, height },
      { address, field: 'balance' as const, height },
    ]),
  );
  const values = await orNothing(node.states(queries, range));
  if (values === undefined) return undefined;
  const each = 2 * heights.length;
  return new Map(
    addresses.map((address, index) => {
      const own = values.slice(each * index, each * (index + 1)).map(String);
      const [nonce = '0', balance = '0', nonceAfter = '0', balanceAfter = '0'] =
        range.from < 0n ? ['0', '0', ...own] : own;
      return [
        address,
        { opening: { nonce, balance }, closing: { nonce: nonceAfter, balance: balanceAfter } },
      ];
    }),
  );
}

function ruleOf(
  { findings }: ExportPosition,
  address: Address,
  found: AccountFinding | undefined,
): ProofAccount['rule'] {
  if (found === undefined) return 'indexed';
  if (isReserved(address)) return 'reserved';
  if (found.isContract) return 'contract';
  const all = Object.values(findings).map(({ accounts }) => accounts[address] ?? NOTHING_FOUND);
  return all.some(({ hasSigned }) => hasSigned) ? 'signed' : 'unsigned';
}

function addressesOf({ addresses }: ExportRequest): Address[] {
  return addresses.map((address) => readAddress(address, 'address'));
}

/** undefined where a node cannot tell it now. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNodeFailure(error)) return undefined;
    throw error;
  }
}
