import { z } from 'zod';
import { idFromString, idToString } from '../../avalanche/ids/id.js';
import { nodeIdToString } from '../../avalanche/ids/node-id.js';
import { parseUnsignedTransaction } from '../../avalanche/platformvm/codec/transaction.js';
import { validatorFeeOf } from '../../avalanche/platformvm/state/chain-rules.js';
import { validatorPrice } from '../../avalanche/platformvm/state/validator-fee.js';
import type { ValidatorSetEntry } from '../../avalanche/warp/canonical-validator-set.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { P_CHAIN } from '../../platform/database/chains.js';
import type { Database } from '../../platform/database/database.js';
import { SharedReading } from '../../platform/networks/caches.js';
import type { IndexedPChainView } from '../../platform/networks/known-p-chain.js';
import { NetworkError } from '../../platform/networks/network.error.js';
import type { ListedL1Validator, SeenTransaction } from '../../platform/networks/p-chain-view.js';
import { RecentBlocksSchema, proposedHeight } from './recent-blocks.js';

/** A new block comes every few seconds. */
const REREAD_AFTER_MS = 1_000;
/** An index that is behind by more, or has not heard of the chain for longer, is not asked. */
const MAX_BLOCKS_BEHIND = 100n;
const MAX_SILENCE_MS = 600_000;

const PositionSchema = z.object({
  height: z.string().transform(BigInt),
  networkId: z.coerce.number(),
  accruedFees: z.string().transform(BigInt),
  validatorExcess: z.string().transform(BigInt),
  recentBlocks: RecentBlocksSchema,
  tip: z.string().transform(BigInt).nullable(),
  tipSeenAt: z.date().nullable(),
});

type Position = z.output<typeof PositionSchema>;

/** A network's P-chain, as the rows of its index have it. */
export class IndexedPChain implements IndexedPChainView {
  private readonly position = new SharedReading(REREAD_AFTER_MS, () => this.readPosition());

  constructor(
    private readonly network: NetworkName,
    private readonly database: Database,
  ) {}

  async whyBehind(): Promise<string | undefined> {
    const position = await this.position.get();
    if (position === undefined) return 'the index of its P-chain has not begun';
    const { height, tip, tipSeenAt } = position;
    if (tip === null || tipSeenAt === null) {
      return `the index of its P-chain, at height ${height}, does not know how long the chain is`;
    }
    if (tip - height > MAX_BLOCKS_BEHIND) return `the index of its P-chain is at height ${height} of ${tip}`;
    const isSilent = Date.now() - tipSeenAt.getTime() > MAX_SILENCE_MS;
    return isSilent
      ? `the index of its P-chain has not heard of it since ${tipSeenAt.toISOString()}`
      : undefined;
  }

  async getHeight(): Promise<bigint> {
    return (await this.here()).height;
  }

  async getProposedHeight(): Promise<bigint> {
    return proposedHeight(await this.here(), Date.now() / 1_000);
  }

  /** With where the index is, as one statement: the set of a height is remembered, and the index may be begun anew at any time. */
  async getValidatorsAt(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]> {
    const rows = await this.query<{
      tip: string;
      nodeId: Buffer | null;
      publicKey: Buffer | null;
      weight: string | null;
    }>(
      `SELECT c.height AS tip, m.node_id AS "nodeId", m.public_key AS "publicKey", m.weight
         FROM index_checkpoints c LEFT JOIN validator_set_members m
           ON m.network = c.network AND m.subnet_id = $3 AND m.until_height > $4 AND m.from_height <= $4
        WHERE c.network = $1 AND c.chain = $2`,
      [P_CHAIN, bytes(subnetId), height],
    );
    const [first] = rows;
    if (first === undefined) throw this.notBegun();
    if (height > BigInt(first.tip)) {
      throw new NetworkError('HEIGHT_IN_FUTURE', `${height} is above the index's ${first.tip}`);
    }
    return rows.flatMap(({ nodeId, publicKey, weight }) =>
      weight === null
        ? []
        : {
            nodeId: nodeId === null ? '' : nodeIdToString(nodeId),
            publicKey: publicKey === null ? null : new Uint8Array(publicKey),
            weight: BigInt(weight),
          },
    );
  }

  async findSubnet(subnetId: string): Promise<{ conversionId: string | undefined } | undefined> {
    const [row] = await this.query<{ conversionId: Buffer | null }>(
      'SELECT conversion_id AS "conversionId" FROM subnets WHERE network = $1 AND subnet_id = $2',
      [bytes(subnetId)],
    );
    if (row === undefined) return undefined;
    return { conversionId: row.conversionId === null ? undefined : idToString(row.conversionId) };
  }

  async listSubnetIds(): Promise<string[]> {
    const rows = await this.query<{ subnetId: Buffer }>(
      'SELECT subnet_id AS "subnetId" FROM subnets WHERE network = $1 ORDER BY block_height, subnet_id',
      [],
    );
    return rows.map(({ subnetId }) => idToString(subnetId));
  }

  async findSubnetOf(blockchainId: string): Promise<string | undefined> {
    const [row] = await this.query<{ subnetId: Buffer }>(
      'SELECT subnet_id AS "subnetId" FROM blockchains WHERE network = $1 AND blockchain_id = $2',
      [bytes(blockchainId)],
    );
    return row && idToString(row.subnetId);
  }

  async findGenesis(blockchainId: string): Promise<Uint8Array | undefined> {
    const [row] = await this.query<{ genesisData: Buffer }>(
      'SELECT genesis_data AS "genesisData" FROM blockchains WHERE network = $1 AND blockchain_id = $2',
      [bytes(blockchainId)],
    );
    return row?.genesisData;
  }

  async findL1Validator(validationId: string): Promise<{ minNonce: bigint } | undefined> {
    const [row] = await this.query<{ minNonce: string }>(
      `SELECT min_nonce AS "minNonce" FROM l1_validators WHERE network = $1 AND validation_id = $2 AND weight > 0`,
      [bytes(validationId)],
    );
    return row && { minNonce: BigInt(row.minNonce) };
  }

  async listL1Validators(subnetId: string): Promise<ListedL1Validator[]> {
    const { accruedFees } = await this.here();
    const rows = await this.query<{ validationId: Buffer; nodeId: Buffer; balance: string }>(
      `SELECT validation_id AS "validationId", node_id AS "nodeId", greatest(end_accumulated_fee - $3::numeric, 0) AS balance
         FROM l1_validators WHERE network = $1 AND subnet_id = $2 AND weight > 0`,
      [bytes(subnetId), accruedFees],
    );
    return rows.map(({ validationId, nodeId, balance }) => ({
      validationId: idToString(validationId),
      nodeId: nodeIdToString(nodeId),
      balance: BigInt(balance),
    }));
  }

  async getValidatorPrice(): Promise<bigint> {
    const { networkId, validatorExcess } = await this.here();
    return validatorPrice(validatorFeeOf(networkId), validatorExcess);
  }

  async findTransaction(txId: string): Promise<SeenTransaction | undefined> {
    const [row] = await this.query<{ type: string; isCommitted: boolean; l1Transaction: Buffer | null }>(
      `SELECT type, is_committed AS "isCommitted", l1_transaction AS "l1Transaction" FROM p_chain_transactions
        WHERE network = $1 AND tx_id = $2`,
      [bytes(txId)],
    );
    if (row === undefined) return undefined;
    const { type, isCommitted, l1Transaction } = row;
    if (!isCommitted) return { status: 'Aborted' };
    const unsigned = l1Transaction === null ? undefined : parseUnsignedTransaction(l1Transaction);
    return { status: 'Committed', type, unsigned };
  }

  /** The X-chain's index may be behind, so that a transaction which it lacks may exist. */
  async isOnXChain(txId: string): Promise<boolean | undefined> {
    const rows = await this.query('SELECT 1 FROM x_chain_transactions WHERE network = $1 AND tx_id = $2', [
      bytes(txId),
    ]);
    return rows.length > 0 ? true : undefined;
  }

  private async here(): Promise<Position> {
    const position = await this.position.get();
    if (position !== undefined) return position;
    throw this.notBegun();
  }

  private notBegun(): NetworkError {
    return new NetworkError('P_CHAIN_NOT_KNOWN', `the index of ${this.network}'s P-chain has not begun`);
  }

  private async readPosition(): Promise<Position | undefined> {
    const [row] = await this.query(
      `SELECT c.height, c.state ->> 'networkId' AS "networkId", c.state ->> 'accruedFees' AS "accruedFees",
              c.state ->> 'validatorExcess' AS "validatorExcess", c.state -> 'recentBlocks' AS "recentBlocks",
              p.tip_height AS tip, p.tip_seen_at AS "tipSeenAt"
         FROM index_checkpoints c LEFT JOIN index_progress p USING (network, chain)
        WHERE network = $1 AND chain = $2`,
      [P_CHAIN],
    );
    return row && PositionSchema.parse(row);
  }

  private query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.query<Row>({ text, values: [this.network, ...values] });
  }
}

function bytes(id: string): Buffer {
  return Buffer.from(idFromString(id));
}
