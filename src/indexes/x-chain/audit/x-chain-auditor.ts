import { Injectable } from '@nestjs/common';
import { parseAvmUtxo } from '../../../avalanche/avm/codec/output.js';
import { packAddress } from '../../../avalanche/ids/address.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { idToString } from '../../../avalanche/ids/id.js';
import { AvmClient } from '../../../avalanche/rpc/avm-client.js';
import { allUtxoPages, UTXOS_PER_PAGE } from '../../../avalanche/rpc/utxo-pages.js';
import {
  type AuditReport,
  compareAtOneHeight,
  type Comparison,
} from '../../engine/audit/compare-at-one-height.js';
import { Differences } from '../../engine/audit/differences.js';
import { SAMPLE_SIZE } from '../../engine/audit/sample.js';
import { utxosById } from '../../engine/audit/utxos-by-id.js';
import { hrpOf } from '../../../platform/config/config.module.js';
import type { Network } from '../../../platform/networks/network.js';
import { type XCheckpoint, XChainWriter } from '../x-chain-writer.js';
import { XChainAuditRepository } from './x-chain-audit.repository.js';

type XChainComparison = Pick<Comparison<XCheckpoint>, 'run'> & { readonly what: string };

/**
 * Compares samples of what the index made of blocks with what a node made of them: assets, and what addresses have on the chain. What
 * waits to be imported is not among it: it depends on two chains, which never stand still at once.
 */
@Injectable()
export class XChainAuditor {
  constructor(
    private readonly writer: XChainWriter,
    private readonly rows: XChainAuditRepository,
  ) {}

  /** Null while nothing is indexed, and where there is no node. Throws RpcError. */
  async audit(network: Network, signal: AbortSignal): Promise<AuditReport | null> {
    if (!network.hasNode) return null;
    const { name } = network;
    const checkpoint = await this.writer.findCheckpoint(name);
    if (checkpoint === undefined) return null;
    const avm = new AvmClient(network.rpc);
    const total = new Differences();
    const skipped: string[] = [];
    let compared = checkpoint;
    const isComplete = checkpoint.history.state === 'complete';
    if (!isComplete) skipped.push('UTXOs: what there was before blocks is not indexed yet');
    // The sandbox answers for the addresses that were recorded, and not for any other.
    const asksForOwners = isComplete && !network.isSandbox;
    const comparisons = [
      ...(await this.assets(network, avm, signal)),
      ...(asksForOwners ? await this.owners(network, avm, signal) : []),
    ];
    for (const { what, run } of comparisons) {
      const differences = await compareAtOneHeight({
        height: () => avm.getHeight({ signal }),
        stateAt: async (height) => {
          const found = await this.writer.findCheckpoint(name);
          if (found?.height !== height) return undefined;
          compared = found;
          return found;
        },
        run,
        signal,
      });
      if (differences === null) skipped.push(what);
      else total.merge(differences);
    }
    const { comparisons: count, found: differences } = total;
    return { height: compared.height, comparisons: count, skipped, differences };
  }

  private async assets(
    { name: network }: Network,
    avm: AvmClient,
    signal: AbortSignal,
  ): Promise<XChainComparison[]> {
    const assets = await this.rows.sampleAssets(network, SAMPLE_SIZE);
    return assets.map(({ assetId: hex, name, symbol, denomination }) => {
      const assetId = idToString(fromHex(hex));
      const what = `asset ${assetId}`;
      return {
        what,
        run: async (_checkpoint, differences) => {
          const theirs = await avm.getAssetDescription({ assetId, signal });
          differences.compare(`${what} name`, name, theirs.name);
          differences.compare(`${what} symbol`, symbol, theirs.symbol);
          differences.compare(`${what} denomination`, denomination, theirs.denomination);
        },
      };
    });
  }

  private async owners(
    { name, config }: Network,
    avm: AvmClient,
    signal: AbortSignal,
  ): Promise<XChainComparison[]> {
    const owners = await this.rows.sampleOwners(name, SAMPLE_SIZE);
    return owners.map((owner) => ({
      what: `X-chain UTXOs of ${owner}`,
      run: async ({ networkId, blockchainId }, differences) => {
        const hrp = hrpOf(config, networkId);
        const addresses = [packAddress({ chainAlias: 'X', hrp, bytes: fromHex(owner) })];
        const ours = await this.rows.unspentUtxos(name, blockchainId, owner);
        const utxos = await allUtxoPages((startIndex) =>
          avm.getUtxos({ addresses, limit: UTXOS_PER_PAGE, startIndex, signal }),
        );
        differences.compareMaps('UTXO', ours, utxosById(parseAvmUtxo, utxos), (what, database, node) =>
          differences.compare(what, database, node),
        );
      },
    }));
  }
}
