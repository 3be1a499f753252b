import { join } from 'node:path';
import { z } from 'zod';
import {
  type EvmBlock,
  joinReceipts,
  parseBlock,
  parseReceipts,
} from '../../../src/avalanche/evm/blocks/block.js';
import {
  type Address,
  type Hash,
  type Hex,
  readAddress,
  readHash,
} from '../../../src/avalanche/evm/rpc/hex-values.js';
import { messageIdOf } from '../../../src/avalanche/icm/message-id.js';
import { readMessengerEvent } from '../../../src/avalanche/icm/messenger-event.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import type { ProjectedChain } from '../../../src/indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../../src/indexes/evm/projections/watched-log.js';
import { readRecordingFile } from '../../../sandbox/recording/recording-file.js';

const NO_BLOOM = `0x${'00'.repeat(256)}`;

const RecordedBlockSchema = z.looseObject({ number: z.string(), transactions: z.array(z.looseObject({})) });
type RecordedBlock = z.output<typeof RecordedBlockSchema>;

const RecordingSchema = z.object({
  chainId: z.string().transform(BigInt),
  blockchainId: z.string().transform((id) => readHash(id, 'blockchain id')),
  messenger: z.string().transform((address) => readAddress(address, 'messenger')),
  receiver: z.string().transform((address) => readAddress(address, 'receiver')),
  feeToken: z.string().transform((address) => readAddress(address, 'fee token')),
  sender: z.string().transform((address) => readAddress(address, 'sender')),
  steps: z.array(z.object({ name: z.string(), hash: z.string() })),
  blocks: z.array(z.object({ block: RecordedBlockSchema, receipts: z.array(z.looseObject({})) })),
});

/** A chain with the original messenger and messages of every kind; test/recordings/README.md. */
export interface MessengerRecording {
  readonly chain: ProjectedChain;
  readonly blockchainId: Hash;
  readonly messenger: Address;
  readonly receiver: Address;
  readonly feeToken: Address;
  readonly sender: Address;
  readonly blocks: readonly EvmBlock[];
  /** Logs of the messenger. */
  readonly logs: readonly WatchedLog[];
  /** The messenger's logs in the transaction of that name. */
  logsOf(step: string): readonly WatchedLog[];
}

export function readMessengerRecording(): MessengerRecording {
  const file = join(projectFolder(), 'test/recordings/messenger-c-chain.json.br');
  const { chainId, steps, blocks: recorded, ...rest } = RecordingSchema.parse(readRecordingFile(file));
  const blocks = recorded.map(({ block, receipts }) =>
    joinReceipts(
      parseBlock(withoutTypes(block), BigInt(block.number)),
      parseReceipts(receipts.map((receipt) => ({ logsBloom: NO_BLOOM, ...receipt }))),
    ),
  );
  const logs = blocks.flatMap((block) => logsIn(block, rest.messenger));
  return {
    ...rest,
    chain: { network: 'fuji', chainId, blockchainId: idToString(fromHex(rest.blockchainId)) },
    blocks,
    logs,
    logsOf: (step) => {
      const found = steps.find(({ name }) => name === step);
      if (found === undefined) throw new Error(`no step ${step}`);
      return logs.filter(({ txHash }) => txHash === found.hash);
    },
  };
}

/** The recording leaves inputs and blooms out: as of types that nobody knows, nothing is to be proved of its transactions. */
function withoutTypes(block: RecordedBlock): RecordedBlock {
  return { ...block, transactions: block.transactions.map((each) => ({ ...each, type: '0x7f' })) };
}

function logsIn({ height, timestampSeconds, transactions }: EvmBlock, messenger: Address): WatchedLog[] {
  return transactions.flatMap(({ hash, index, fee, logs }) =>
    logs
      .filter(({ address }) => address === messenger)
      .map(({ index: logIndex, address, topics, data }) => ({
        height,
        logIndex,
        txIndex: index,
        blockTime: timestampSeconds,
        txHash: hash,
        address,
        topics,
        data,
        fee,
      })),
  );
}

/** Chain and logs of one side. */
export interface SideOfMessages {
  readonly chain: ProjectedChain;
  readonly logs: readonly WatchedLog[];
}

/** The same messages, as if they went to another chain, whose logs are those of their deliveries. */
export function splitOverChains({ chain, blockchainId, messenger, logs }: MessengerRecording): {
  source: SideOfMessages;
  destination: SideOfMessages;
} {
  const other: Hash = `0x${'5'.repeat(64)}`;
  const ids = new Map<Hash | undefined, Hash>();
  for (const log of logs) {
    const event = readMessengerEvent(log);
    if (event.kind !== 'sent') continue;
    const { nonce } = event.message;
    const parts = { contract: messenger, sourceBlockchainId: blockchainId, destinationBlockchainId: other };
    ids.set(event.messageId, messageIdOf({ ...parts, nonce }));
  }
  const moved = logs.map((log) => {
    const { kind } = readMessengerEvent(log);
    const isAtSource = kind === 'sent' || kind === 'feeAdded' || kind === 'receiptReceived';
    const [topic, id, chainOfIt, ...rest] = log.topics;
    const movedId = ids.get(id);
    if (topic === undefined || movedId === undefined) return { log, isAtSource: true };
    const second = chainOfIt === undefined ? [] : [isAtSource ? other : chainOfIt];
    const data: Hex = `0x${log.data.slice(2).replaceAll(blockchainId.slice(2), other.slice(2))}`;
    return { log: { ...log, topics: [topic, movedId, ...second, ...rest], data }, isAtSource };
  });
  const side = (wanted: boolean) =>
    moved.filter(({ isAtSource }) => isAtSource === wanted).map(({ log }) => log);
  return {
    source: { chain, logs: side(true) },
    destination: {
      chain: { network: chain.network, chainId: 5_555n, blockchainId: idToString(fromHex(other)) },
      logs: side(false),
    },
  };
}
