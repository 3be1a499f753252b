import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import {
  makeCanonicalValidatorSet,
  type ValidatorSetEntry,
} from '../../avalanche/warp/canonical-validator-set.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../config/config.module.js';
import { nodeSettingOf } from '../config/network-names.js';
import { NetworkError } from './network.error.js';
import type { ListedL1Validator, PChainView, SeenTransaction } from './p-chain-view.js';

/** The P-chain as our own index has it. */
export interface IndexedPChainView extends PChainView {
  /** Undefined while the index is near the tip; otherwise how far it is, for people. */
  whyBehind(): Promise<string | undefined>;
}

/** How often the index is compared with a node, and how soon again after a comparison that could not be made. */
const COMPARED_EVERY_MS = 600_000;
const COMPARED_AGAIN_MS = 5_000;

/**
 * The P-chain by our own index while that is near the tip; and by the configured nodes, if there are any, for what the index does not have
 * (yet), and while it is behind or cannot be read.
 *
 * A node is also the index's auditor: validators verify signatures with the set that nodes have, so that an index with another one is not
 * believed where there is a node.
 */
export class KnownPChain implements PChainView {
  private index: IndexedPChainView | undefined;
  /** By the last comparison; undefined before the first. */
  private isIndexConfirmed: boolean | undefined;
  private nextComparisonAtMs = -Infinity;

  constructor(
    private readonly network: NetworkName,
    private readonly node: PChainView | undefined,
    private readonly warn: (text: string) => void,
  ) {}

  /** The processes that can read the index give it. */
  useIndex(index: IndexedPChainView): void {
    this.index = index;
  }

  getHeight(): Promise<bigint> {
    return this.ask((view) => view.getHeight());
  }

  getProposedHeight(): Promise<bigint> {
    return this.ask((view) => view.getProposedHeight());
  }

  getValidatorsAt(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]> {
    return this.ask((view) => view.getValidatorsAt(subnetId, height));
  }

  findSubnet(subnetId: string): Promise<{ conversionId: string | undefined } | undefined> {
    return this.find((view) => view.findSubnet(subnetId));
  }

  listSubnetIds(): Promise<string[]> {
    return this.ask((view) => view.listSubnetIds());
  }

  findSubnetOf(blockchainId: string): Promise<string | undefined> {
    return this.find((view) => view.findSubnetOf(blockchainId));
  }

  findGenesis(blockchainId: string): Promise<Uint8Array | undefined> {
    return this.find((view) => view.findGenesis(blockchainId));
  }

  findL1Validator(validationId: string): Promise<{ minNonce: bigint } | undefined> {
    return this.find((view) => view.findL1Validator(validationId));
  }

  listL1Validators(subnetId: string): Promise<ListedL1Validator[]> {
    return this.ask((view) => view.listL1Validators(subnetId));
  }

  getValidatorPrice(): Promise<bigint> {
    return this.ask((view) => view.getValidatorPrice());
  }

  findTransaction(txId: string): Promise<SeenTransaction | undefined> {
    return this.find((view) => view.findTransaction(txId));
  }

  isOnXChain(txId: string): Promise<boolean | undefined> {
    return this.find((view) => view.isOnXChain(txId));
  }

  /** A node may already have what the index does not. */
  private async find<T>(ask: (view: PChainView) => Promise<T | undefined>): Promise<T | undefined> {
    const view = await this.choose();
    const found = await this.askOrNode(view, ask);
    if (found !== undefined || view === this.node || this.node === undefined) return found;
    try {
      return await ask(this.node);
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  private async ask<T>(ask: (view: PChainView) => Promise<T>): Promise<T> {
    return this.askOrNode(await this.choose(), ask);
  }

  /** A node also has the newest heights, and is there while the database is away. */
  private async askOrNode<T>(view: PChainView, ask: (view: PChainView) => Promise<T>): Promise<T> {
    try {
      return await ask(view);
    } catch (error) {
      if (view === this.node || this.node === undefined) throw error;
      return ask(this.node);
    }
  }

  /** Throws P_CHAIN_NOT_KNOWN. */
  private async choose(): Promise<PChainView> {
    const { index, node, network } = this;
    try {
      const behind = index === undefined ? 'no index is read here' : await index.whyBehind();
      if (index !== undefined && behind === undefined) {
        if (node === undefined) return index;
        void this.compare(index, node);
        return this.isIndexConfirmed === true ? index : node;
      }
      if (node !== undefined) return node;
      throw new NetworkError(
        'P_CHAIN_NOT_KNOWN',
        `the validators of ${network} are not known yet: ${behind ?? ''}; a node (${nodeSettingOf(network)}) would be asked meanwhile`,
      );
    } catch (error) {
      if (node === undefined) throw error;
      return node;
    }
  }

  /** Never rejects. A node that is away, or behind the index, leaves things as they are. */
  private async compare(index: PChainView, node: PChainView): Promise<void> {
    if (performance.now() < this.nextComparisonAtMs) return;
    this.nextComparisonAtMs = performance.now() + COMPARED_AGAIN_MS;
    try {
      const height = await index.getHeight();
      const [ours, theirs] = await Promise.all(
        [index, node].map(async (view) =>
          makeCanonicalValidatorSet(await view.getValidatorsAt(PRIMARY_NETWORK_ID, height)),
        ),
      );
      const isConfirmed = ours?.digest === theirs?.digest;
      if (!isConfirmed && this.isIndexConfirmed !== false) {
        this.warn(`at height ${height} the index has other validators than the node, which is asked instead`);
      }
      this.isIndexConfirmed = isConfirmed;
      this.nextComparisonAtMs = performance.now() + COMPARED_EVERY_MS;
    } catch {
      return;
    }
  }
}
