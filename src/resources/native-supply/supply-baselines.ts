import { z } from 'zod';
import type { DataSource } from 'typeorm';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { EvmError } from '../../avalanche/evm/evm.error.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { toNanoAvax } from './supply.js';
import { NetworkSchema } from '../../platform/http/schemas/network.schema.js';
import { SupplyBaseline } from './supply-baseline.entity.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';

export const BaselineRequestSchema = z.strictObject({
  network: NetworkSchema,
  height: z
    .string()
    .regex(/^\d{1,18}$/, 'is no height of a block')
    .transform(BigInt),
  hash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)], {
    error: "is no block's hash: 0x and 64 digits in lower case",
  }),
  burned: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'is no amount of AVAX with up to nine decimals')
    .transform(toNanoAvax),
});

/** A baseline is refused; the message is for people. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** Sums that operators vouch for until the own history is read. */
export class SupplyBaselines {
  constructor(
    private readonly dataSource: DataSource,
    private readonly chains: EvmChains,
  ) {}

  list(): Promise<SupplyBaseline[]> {
    return this.dataSource.getRepository(SupplyBaseline).find();
  }

  /** Replaces one that there is. Throws BaselineError, also when no node can confirm the block. */
  async save({ network, height, hash, burned }: z.output<typeof BaselineRequestSchema>): Promise<void> {
    const chain = this.chains.cChainOf(network);
    if (chain === undefined) throw new BaselineError(`no C-chain of ${network} is configured`);
    const found = await findHash(this.chains.clientOf(chain), height);
    if (found !== hash) {
      throw new BaselineError(
        `block ${height} of ${nameOf(chain)} is ${found}, and not ${hash}: nothing is imported`,
      );
    }
    const row = { network, height, blockHash: hash, burned, importedAt: new Date() };
    await this.dataSource.getRepository(SupplyBaseline).upsert(row, ['network']);
  }

  /** Whether there was one. */
  async remove(network: SupplyBaseline['network']): Promise<boolean> {
    const { affected } = await this.dataSource.getRepository(SupplyBaseline).delete({ network });
    return (affected ?? 0) > 0;
  }
}

async function findHash(client: EvmClient, height: bigint): Promise<string> {
  try {
    const header = await client.getBlockHeader({ height });
    if (header !== undefined) return header.hash;
  } catch (error) {
    if (!(error instanceof RpcError) && !(error instanceof EvmError)) throw error;
    throw new BaselineError(`no node confirms block ${height}: ${error.message}: nothing is imported`, {
      cause: error,
    });
  }
  throw new BaselineError(`the chain has not come to block ${height} yet: nothing is imported`);
}

function nameOf({ name, network }: EvmChain): string {
  return `${name} of ${network}`;
}
