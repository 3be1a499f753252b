import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rawBlock, tracedBlock } from '../../../sandbox/generated/evm-block.js';
import { evmChainOf, type GeneratedEvmChain } from '../../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.js';
import type { Address, Hash } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import {
  idOfMessage,
  type MadeMessage,
  type MessengerChain,
  receiptReceivedLog,
  receivedLog,
  sentLog,
} from './messenger-logs.js';
import { TEST_CHAIN } from './test-chain.js';

const SENDER = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

/** A sandbox on whose C-chain messages are sent, and messages of its L1 received, each in the block after the last. */
export class SendingChain {
  private readonly blocks: GeneratedEvmChain['blocks'][number][] = [];
  private nonce = 0n;
  private received = 0n;

  private constructor(
    readonly sandbox: Sandbox,
    /** Cb58. */
    private readonly destination: string,
  ) {}

  /** To its L1 or, as if another chain of the primary network was there, to itself: then all validators sign. */
  static async start({
    to = 'l1',
    ...options
  }: SandboxOptions & { to?: 'l1' | 'itself' }): Promise<SendingChain> {
    const { chainId, blockchainId } = TEST_CHAIN;
    const sandbox = await startSandbox({
      recording: null,
      blockIntervalMs: 0,
      evmRecordings: [evmChainOf({ chainId, blockchainId, blocks: [blockWith(0, [])] })],
      ...options,
    });
    const chain = new SendingChain(sandbox, to === 'l1' ? sandbox.l1ChainId : sandbox.cChainId);
    chain.blocks.push(blockWith(0, []));
    return chain;
  }

  /** The chains' file of a service that indexes it. */
  writeChainsFile(folder: string, settings: object = {}): string {
    const { network, chainId, blockchainId, name, nativeSymbol } = TEST_CHAIN;
    const chain = {
      network,
      chainId: String(chainId),
      blockchainId,
      name,
      rpcUrls: [this.sandbox.cChainUrl],
      startHeight: '0',
      nativeSymbol,
      nativeDecimals: 18,
    };
    const file = join(folder, 'evm-chains.json');
    writeFileSync(file, JSON.stringify({ chains: [Object.assign(chain, settings)] }));
    return file;
  }

  /** Its id. The block is so old. */
  send({ ageSeconds = 0 } = {}): Hash {
    const [id] = this.sendMany(1, { ageSeconds });
    if (id === undefined) throw new RangeError('no message');
    return id;
  }

  /** In one block. Their ids. */
  sendMany(count: number, { ageSeconds = 0 } = {}): Hash[] {
    const messages = Array.from({ length: count }, () => this.messageOf((this.nonce += 1n)));
    const { height } = this;
    this.add(
      messages.map((message) => sentLog(message, { height })),
      ageSeconds,
    );
    return messages.map((message) => idOfMessage(message));
  }

  /** The last one, as its sender may have it done. */
  sendAgain(): void {
    this.add([sentLog(this.messageOf(this.nonce), { height: this.height })]);
  }

  /** The receipt of the last one comes back, which its L1 alone can send. */
  acknowledge(): void {
    this.add([receiptReceivedLog(this.messageOf(this.nonce), { height: this.height })]);
  }

  /** The id of a message that its L1 has sent to `to`. */
  receive(to: Address): Hash {
    this.received += 1n;
    const { source: destination, destination: source, ...rest } = this.messageOf(this.received);
    const message = { ...rest, source, destination, to };
    this.add([receivedLog(message, { height: this.height })]);
    return idOfMessage(message);
  }

  private get height(): bigint {
    return BigInt(this.blocks.length);
  }

  private messageOf(nonce: bigint): MadeMessage {
    const [source, destination] = [this.sandbox.cChainId, this.destination].map(chainOf);
    if (source === undefined || destination === undefined) throw new RangeError('no chains');
    return { source, destination, nonce, from: SENDER, to: SENDER, data: '0x1234' };
  }

  private add(logs: readonly WatchedLog[], ageSeconds = 0): void {
    this.blocks.push(blockWith(this.blocks.length, logs, ageSeconds));
    this.sandbox.cChain.replaceBlocks(this.blocks);
  }
}

function chainOf(blockchainId: string): MessengerChain {
  return { network: 'fuji', chainId: 1n, blockchainId, id: `0x${toHex(idFromString(blockchainId))}` };
}

function blockWith(height: number, logs: readonly WatchedLog[], ageSeconds = 0): RecordedEvmBlock {
  const transactions = logs.length === 0 ? [] : [{ logs, gasUsed: 50_000n }];
  const seconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  return tracedBlock(
    rawBlock(height, transactions, height === 0 ? 1_700_000_000 : seconds),
    transactions.map(() => ({ type: 'CALL' })),
  );
}
