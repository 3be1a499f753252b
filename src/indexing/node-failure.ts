import { EvmError } from '../avalanche/evm/evm.error.js';
import { PlatformVmError } from '../avalanche/platformvm/platformvm.error.js';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import type { IndexError } from './index.error.js';

/** What a node could not answer, or answered so that it cannot be taken: another node may do better. */
export type NodeError = RpcError | PlatformVmError | EvmError | IndexError;

export function isNodeError(error: unknown): error is NodeError {
  return error instanceof RpcError || error instanceof PlatformVmError || error instanceof EvmError;
}

/** A node could not be read on. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure';

  constructor(
    private readonly node: { readonly host: string },
    override readonly cause: NodeError,
  ) {
    super(cause.message, { cause });
  }

  /** With the node's name, for people. */
  get text(): string {
    return `${this.node.host}: ${this.message}`;
  }
}
