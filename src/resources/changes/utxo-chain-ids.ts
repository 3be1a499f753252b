import { Injectable } from '@nestjs/common';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { FedChain } from './fed-chains.js';

/** Ids (hex) of the chains whose UTXOs streams are about. */
@Injectable()
export class UtxoChainIds {
  constructor(private readonly indexedNetworks: IndexedNetworks) {}

  /** Undefined of a chain without UTXOs, or while its id is not on record. */
  async of({ network, utxos }: FedChain): Promise<string | undefined> {
    if (utxos === undefined || utxos === 'P') return utxos && PRIMARY_NETWORK;
    const { xChainId, cChainId } = await this.indexedNetworks.get(network);
    return utxos === 'X' ? xChainId : cChainId;
  }
}
