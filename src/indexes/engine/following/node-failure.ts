import { AvmError } from '../../../avalanche/avm/avm.error.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { isBlockMissing, isNotYet } from '../../../avalanche/evm/rpc/evm-rejections.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { IndexError, mustStop } from './index.error.js';
import { foreignChain } from './reorganisation.js';

/** A failure of a node to answer, or an answer that cannot be accepted: another node may do better. */
export type NodeError = RpcError | PlatformVmError | AvmError | EvmError | ChainSyncError | IndexError;

export function isNodeError(error: unknown): error is NodeError {
  return [RpcError, PlatformVmError, AvmError, EvmError, ChainSyncError].some(
    (kind) => error instanceof kind,
  );
}

export interface NamedNode {
  /** As callers may read it, e.g. `node 2`. */
  readonly name: string;
  /** Where it stands, for the log. */
  readonly host: string;
}

/** A node could not be read on. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    private readonly node: NamedNode,
    override readonly cause: NodeError,
  ) {
    super(cause.message, { cause });
  }

  /** Undefined for what is no node's fault. */
  static of(node: NamedNode, error: unknown): NodeFailure | undefined {
    if (error instanceof NodeFailure) return error;
    return isNodeError(error) ? new NodeFailure(node, error) : undefined;
  }

  /** With the node's name, for people. */
  get text(): string {
    return `${this.node.name}: ${this.message}`;
  }

  /** For the log: where the node stands, too. */
  override toString(): string {
    return `${this.text} (${this.node.host})`;
  }
}

/**
 * Whether the node lacks a block that it announced itself. Behind one address may be several nodes that are a few blocks apart, and the one
 * that was asked for the tip is not the one that was asked for the block.
 */
export function isLate(error: NodeError): boolean {
  if (error instanceof EvmError) return error.code === 'BLOCK_UNAVAILABLE';
  return error instanceof RpcError && (isBlockMissing(error) || isNotYet(error));
}

/** Whether a person is needed: only when every node was asked, and all of them show what we cannot take. */
export function verdict(
  failures: readonly NodeFailure[],
  { problems }: { readonly problems: readonly string[] },
): Error {
  const last = failures.at(-1);
  const text = [...failures.map((failure) => failure.text), ...problems].join('; ');
  const ends = failures.flatMap(({ cause }) => endOf(cause, text) ?? []);
  const isUnanimous = ends.length === failures.length && problems.length === 0;
  return (isUnanimous && ends.at(-1)) || new IndexError('NO_USABLE_NODE', text, { cause: last });
}

/** The error with which an index stops, should all nodes answer so; undefined for what may pass. */
function endOf(cause: NodeError, text: string): Error | undefined {
  if (cause instanceof PlatformVmError) return new PlatformVmError(cause.code, text, { cause });
  if (cause instanceof AvmError) return new AvmError(cause.code, text, { cause });
  if (cause instanceof IndexError && mustStop(cause)) return new IndexError(cause.code, text, { cause });
  return foreignChain(cause, text);
}
