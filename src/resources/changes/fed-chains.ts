import { Injectable } from '@nestjs/common';
import { ATOMIC, facetsOf } from '../../indexes/evm/facets/facets.js';
import { logSetsOf } from '../../indexes/evm/sources/logs/log-sets.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainName, P_CHAIN, type PrimaryChain, X_CHAIN } from '../../platform/database/chains.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { MESSAGE_LOG_SET } from '../interchain-messages/message-projection.js';

/** A chain whose blocks change what streams are about. */
export interface FedChain {
  /** In cursors. */
  readonly name: string;
  readonly network: NetworkName;
  /** Of its index. */
  readonly index: string;
  /** Whose UTXOs its blocks create and consume. */
  readonly utxos: PrimaryChain | undefined;
  /** Of an EVM chain. */
  readonly evm: EvmChain | undefined;
  /** Facets that have to be complete, beside the blocks in their order. */
  readonly facets: readonly string[];
  /** Sets of the logs that messages are made of. */
  readonly messageSets: readonly string[];
}

/** The chains of streams, in the order in which each advance is read. */
@Injectable()
export class FedChains {
  constructor(private readonly evmChains: EvmChains) {}

  of(network: NetworkName): FedChain[] {
    const primary = (name: string, index: string, utxos: PrimaryChain): FedChain => ({
      name,
      network,
      index,
      utxos,
      evm: undefined,
      facets: [],
      messageSets: [],
    });
    const evm = this.evmChains.all().filter((chain) => chain.network === network);
    return [primary('p', P_CHAIN, 'P'), primary('x', X_CHAIN, 'X'), ...evm.flatMap(toFedChain)];
  }
}

/** None of what it does may be watched. */
function toFedChain(evm: EvmChain): FedChain[] {
  const hasUtxos = facetsOf(evm).includes(ATOMIC);
  const messageSets = logSetsOf(evm)
    .map(({ name }) => name)
    .filter((name) => name === MESSAGE_LOG_SET || name.startsWith(`${MESSAGE_LOG_SET}@`));
  const facets = [...(hasUtxos ? [ATOMIC.name] : []), ...messageSets.map((name) => `logs:${name}`)];
  if (facets.length === 0) return [];
  const { network, chainId } = evm;
  const utxos = hasUtxos ? 'C' : undefined;
  return [{ name: `evm${chainId}`, network, index: evmChainName(chainId), utxos, evm, facets, messageSets }];
}
