import type { AccessList } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { HexSchema } from '../../../sandbox/recording/evm-recording.js';
import type { EvmNode } from './evm-node.js';

/** A transaction to be. */
export interface Order {
  readonly from: PrivateKeyAccount;
  /** Absent when a contract is created. */
  readonly to?: Address;
  readonly value?: bigint;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly type?: 'legacy' | 'eip2930' | 'eip1559';
  /** Of a transaction of the type eip1559, which is the usual one. */
  readonly accessList?: AccessList;
  /** Goes to the fee recipient on top of the base fee, which is one wei on a network without traffic. */
  readonly tip?: bigint;
  /** It gets into a block and fails there. */
  readonly fails?: boolean;
}

/** Above what any call of the scenario needs, and low enough for dozens of them in one block. */
const CALL_GAS = 300_000n;
const CREATION_GAS = 1_500_000n;
const DEFAULT_TIP = 1_500_000_000n;
/** Much above the base fee of a network without traffic. */
const MAX_BASE_FEE = 1_000_000_000n;

const RECEIPT_TIMEOUT_MS = 60_000;
const RECEIPT_INTERVAL_MS = 50;
/** At Helicon's activation a node loses what waits in its pool. */
const SEND_AGAIN_MS = 3_000;

const ReceiptSchema = z.object({
  transactionHash: HexSchema,
  status: z.enum(['0x0', '0x1']),
  contractAddress: z.custom<Address>(isAddress).nullable(),
  logs: z.array(
    z.object({
      address: z.custom<Address>(isAddress),
      // Anonymous events may have none.
      topics: z.union([z.tuple([HexSchema], HexSchema), z.tuple([])]),
      data: HexSchema,
    }),
  ),
});
export type Receipt = z.infer<typeof ReceiptSchema>;

interface SentTransaction {
  readonly hash: string;
  readonly signed: Hex;
}

/** Signs transactions and sends them to a node; keeps count of the nonces. */
export class EvmWallet {
  private readonly nonces = new Map<Address, number>();
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly node: EvmNode,
    private readonly chainId: number,
    /** In wei; most that the base fee may be. */
    private readonly maxBaseFee = MAX_BASE_FEE,
  ) {}

  /**
   * Waits until it is in a block; what is sent without waiting may get into the same one.
   *
   * Throws Error when it fails and should not, or the other way round.
   */
  async run(order: Order): Promise<Receipt> {
    const receipt = await this.receiptOf(order);
    const { status, transactionHash } = receipt;
    const failed = status === '0x0';
    if (failed !== (order.fails ?? false)) throw new Error(`${transactionHash} has the status ${status}`);
    return receipt;
  }

  async runAll(orders: readonly Order[]): Promise<void> {
    await Promise.all(orders.map((order) => this.run(order)));
  }

  /** The new contract's address. */
  async deploy(order: Omit<Order, 'to'>): Promise<Address> {
    const { status, contractAddress } = await this.receiptOf({ gas: CREATION_GAS, ...order });
    if (status !== '0x1' || contractAddress === null) throw new Error('a contract was not created');
    return contractAddress;
  }

  private async receiptOf(order: Order) {
    const sent = this.sending.then(() => this.send(order));
    this.sending = sent.catch(() => undefined); // the caller gets the error
    return this.waitFor(await sent);
  }

  private async send(order: Order): Promise<SentTransaction> {
    const { address } = order.from;
    const nonce = this.nonces.get(address) ?? (await this.nextNonce(address));
    const signed = await this.sign(order, nonce);
    const hash = await this.node.call('eth_sendRawTransaction', [signed], z.string());
    this.nonces.set(address, nonce + 1);
    return { hash, signed };
  }

  private async nextNonce(address: Address): Promise<number> {
    return Number(await this.node.call('eth_getTransactionCount', [address, 'latest'], z.string()));
  }

  private sign(order: Order, nonce: number): Promise<Hex> {
    const { from, to, value, data, gas = CALL_GAS, type = 'eip1559', tip = DEFAULT_TIP } = order;
    const { accessList } = order;
    const common = { chainId: this.chainId, nonce, to, value, data, gas };
    const gasPrice = tip + this.maxBaseFee;
    switch (type) {
      case 'legacy':
        return from.signTransaction({ ...common, type, gasPrice });
      case 'eip2930':
        return from.signTransaction({
          ...common,
          type,
          gasPrice,
          accessList: [{ address: to ?? from.address, storageKeys: [] }],
        });
      case 'eip1559':
        return from.signTransaction({
          ...common,
          type,
          accessList,
          maxFeePerGas: gasPrice,
          maxPriorityFeePerGas: tip,
        });
    }
  }

  private waitFor({ hash, signed }: SentTransaction): Promise<Receipt> {
    let sendAgainAt = Date.now() + SEND_AGAIN_MS;
    return poll({
      what: `the receipt of ${hash}`,
      timeoutMs: RECEIPT_TIMEOUT_MS,
      intervalMs: RECEIPT_INTERVAL_MS,
      ask: async () => {
        if (Date.now() >= sendAgainAt) {
          await this.node.ask('eth_sendRawTransaction', [signed]); // refused when it is known or done already
          sendAgainAt = Date.now() + SEND_AGAIN_MS;
        }
        const receipt = await this.node.call('eth_getTransactionReceipt', [hash], ReceiptSchema.nullable());
        return receipt ?? undefined;
      },
    });
  }
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value);
}
