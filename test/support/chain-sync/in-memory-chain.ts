import { createHash } from 'node:crypto';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { nodeIdToString } from '../../../src/avalanche/ids/node-id.js';
import type { ChainAnswers, ChainQuestion } from '../../../src/avalanche/p2p/messages/chain-question.js';
import type { ChainNetwork, ChainRequest } from '../../../src/avalanche/p2p/network/chain-network.js';
import { PeerRequestError } from '../../../src/avalanche/p2p/peer-request.error.js';
import { blockId, packBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { containerId, wrapBlock } from '../../../src/avalanche/platformvm/codec/proposervm.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';

type Answer = ChainAnswers[ChainQuestion['kind']];

/** The answer of a node that is not honest; undefined is silence. */
export type Misconduct = (question: ChainQuestion, honest: Answer | undefined) => Answer | undefined;

const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line of empty P-chain blocks, all but the first in containers. */
export class InMemoryChain {
  readonly blocks: Uint8Array[] = [];
  readonly containers: Uint8Array[] = [];
  private readonly heights = new Map<string, { height: number; isOuter: boolean }>();

  /** `salt` makes another chain of the same length. */
  constructor(
    readonly length: number,
    salt = 0n,
  ) {
    let parentId = PRIMARY_NETWORK;
    let outerParentId = PRIMARY_NETWORK;
    for (let height = 0; height < length; height++) {
      const at = { parentId, height: BigInt(height) };
      const inner =
        height === 0
          ? packBlock({ type: 'ApricotCommit', ...at })
          : packBlock({ type: 'BanffStandard', time: salt + BigInt(height), ...at, transactions: [] });
      const container =
        height === 0
          ? inner
          : wrapBlock({
              type: 'block',
              parentId: outerParentId,
              timestamp: BigInt(height),
              pChainHeight: 0n,
              certificate: new Uint8Array(64),
              inner,
              epoch: null,
              signature: new Uint8Array(64),
            });
      parentId = blockId(inner);
      outerParentId = containerId(container);
      this.blocks.push(inner);
      this.containers.push(container);
      this.heights.set(parentId, { height, isOuter: false });
      this.heights.set(outerParentId, { height, isOuter: true });
    }
  }

  outerId(height: number): Uint8Array {
    return fromHex(containerId(this.containers[height]!));
  }

  innerId(height: number): string {
    return blockId(this.blocks[height]!);
  }

  /** As an honest node that has accepted everything; `perAnswer` containers fit into one answer. */
  answer(question: ChainQuestion, perAnswer: number): Answer | undefined {
    switch (question.kind) {
      case 'getAccepted':
        return question.containerIds.filter((id) => this.heights.get(toHex(id))?.isOuter === true);
      case 'get':
        return this.ancestors(question.containerId, 1)[0];
      case 'getAncestors':
        return this.ancestors(question.containerId, perAnswer);
      case 'pullQuery': {
        const tip = this.length - 1;
        const height = Math.min(tip, Number(question.requestedHeight));
        return {
          acceptedId: this.outerId(tip),
          acceptedHeight: BigInt(tip),
          idAtHeight: this.outerId(height),
        };
      }
    }
  }

  private ancestors(id: Uint8Array, count: number): Uint8Array[] {
    const found = this.heights.get(toHex(id));
    if (found === undefined) return [];
    const all = found.isOuter ? this.containers : this.blocks;
    return all.slice(Math.max(0, found.height + 1 - count), found.height + 1).reverse();
  }
}

/** Nodes in memory that serve such a chain, honestly unless a test wants something else. */
export class InMemoryNodes implements ChainNetwork {
  readonly nodeIds: readonly string[];
  readonly asked: { nodeId: string; question: ChainQuestion }[] = [];
  /** Most requests but votes that one node had at the same time. */
  mostAtOnce = 0;
  /** And that all had together. */
  mostInAll = 0;
  readonly misconducts = new Map<string, Misconduct>();
  readonly away = new Set<string>();
  private readonly inFlight = new Map<string, number>();

  constructor(
    private readonly chain: Pick<InMemoryChain, 'answer'>,
    count: number,
    private readonly perAnswer = 2_000,
  ) {
    this.nodeIds = Array.from({ length: count }, (_, i) =>
      nodeIdToString(createHash('sha256').update(`server ${i}`).digest().subarray(0, 20)),
    );
  }

  /** The first so many. */
  misbehave(count: number, misconduct: Misconduct): void {
    for (const nodeId of this.nodeIds.slice(0, count)) this.misconducts.set(nodeId, misconduct);
  }

  connectedPeers(): { nodeId: string }[] {
    return this.nodeIds.filter((nodeId) => !this.away.has(nodeId)).map((nodeId) => ({ nodeId }));
  }

  async ask<Question extends ChainQuestion>(
    question: Question,
    { nodeId }: ChainRequest,
  ): Promise<ChainAnswers[Question['kind']]> {
    if (this.away.has(nodeId)) throw new PeerRequestError('NOT_CONNECTED', 'away');
    this.asked.push({ nodeId, question });
    const isBulk = question.kind !== 'getAccepted';
    if (isBulk) this.count(nodeId, 1);
    await wait();
    if (isBulk) this.count(nodeId, -1);
    const honest = this.chain.answer(question, this.perAnswer);
    const misconduct = this.misconducts.get(nodeId);
    const answer = misconduct === undefined ? honest : misconduct(question, honest);
    if (answer === undefined) throw new PeerRequestError('TIMED_OUT', 'silent');
    return answer as ChainAnswers[Question['kind']];
  }

  private count(nodeId: string, change: number): void {
    const now = (this.inFlight.get(nodeId) ?? 0) + change;
    this.inFlight.set(nodeId, now);
    this.mostAtOnce = Math.max(this.mostAtOnce, now);
    const all = [...this.inFlight.values()].reduce((sum, each) => sum + each, 0);
    this.mostInAll = Math.max(this.mostInAll, all);
  }
}
