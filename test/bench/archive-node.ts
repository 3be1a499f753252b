import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { numberToHex } from 'viem/utils';
import { packAnswers, unpackQuestions } from '../../src/avalanche/evm/history/calls-in-one.js';
import { readData } from '../../src/avalanche/evm/rpc/hex-values.js';
import { addressFor, type RawBlock, rawBlock } from '../../sandbox/generated/evm-block.js';
import { ACCOUNT, changesOf, OTHER, timeOf } from './archive-shape.js';
import type { RpcCall } from './serve-json-rpc.js';
import { GENERATED_CHAIN } from '../support/evm/generated-evm.js';

/**
 * The benchmark's archive node: a chain of any length, whose blocks and states are made when somebody asks for them. Arguments: blocks,
 * changes of the account, milliseconds that each call takes, calls a second (0: any).
 */
const [blocks = 0, changeCount = 0, callMs = 0, callsPerSecond = 0] = process.argv.slice(2).map(Number);
const MAX_BATCH = callsPerSecond > 0 ? 40 : 1_000;
const MAX_LOG_BLOCKS = 2 ** 17;
/** As much as is sent in a life. */
const RECEIVED = 10n ** 24n;
const SENT = 1_000_000_000n;
const FEE = 21_000n * 25n;

const changes = changesOf(blocks, changeCount);
const states: { readonly nonce: bigint; readonly balance: bigint }[] = [];
for (const { isSent } of changes) {
  const { nonce, balance } = states.at(-1) ?? { nonce: 0n, balance: 0n };
  states.push(
    isSent ? { nonce: nonce + 1n, balance: balance - SENT - FEE } : { nonce, balance: balance + RECEIVED },
  );
}
const changeAt = new Map(changes.map(({ height, isSent }) => [height, isSent]));

/** Everybody else signs once in a life. */
const strangerAt = (height: number) => addressFor(1_000_000 + height);

function blockAt(height: number): RawBlock {
  const isSent = changeAt.get(height);
  const stranger = strangerAt(height);
  const others = [{ from: stranger, to: OTHER, value: 1n }];
  const own =
    isSent === undefined
      ? []
      : [
          isSent
            ? { from: ACCOUNT, to: OTHER, value: SENT }
            : { from: strangerAt(height + blocks), to: ACCOUNT, value: RECEIVED },
        ];
  return rawBlock(height, [...others, ...own], timeOf(height, blocks));
}

function stateAt(height: number) {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.height ?? 0) <= height) low = middle + 1;
    else high = middle;
  }
  return states[low - 1] ?? { nonce: 0n, balance: 0n };
}

function answer({ method, params }: RpcCall): unknown {
  const height = Number(params[method === 'eth_getBalance' || method === 'eth_getTransactionCount' ? 1 : 0]);
  switch (method) {
    case 'eth_chainId':
      return numberToHex(GENERATED_CHAIN.chainId);
    case 'eth_blockNumber':
      return numberToHex(blocks - 1);
    case 'eth_getBlockByNumber': {
      const { block } = blockAt(height);
      return params[1] === true
        ? block
        : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
    }
    case 'eth_getBlockReceipts':
      return blockAt(height).receipts;
    case 'eth_getTransactionCount': {
      if (params[0] === ACCOUNT) return numberToHex(stateAt(height).nonce);
      return numberToHex(strangerAt(height) === params[0] ? 1 : 0);
    }
    case 'eth_getBalance':
      return numberToHex(params[0] === ACCOUNT ? stateAt(height).balance : 0n);
    case 'eth_getCode':
      return '0x';
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      if (Number(toBlock) - Number(fromBlock) < MAX_LOG_BLOCKS) return [];
      throw new RangeError(`requested too many blocks, maximum is set to ${MAX_LOG_BLOCKS}`);
    }
    default: {
      const questions = unpackQuestions(readData((params[0] as { data: unknown }).data, 'data')) ?? [];
      return packAnswers(questions.map(() => '0x')); // eth_call: nobody has any token
    }
  }
}

function answerTo(call: RpcCall): object {
  counts.set(call.method, (counts.get(call.method) ?? 0) + 1);
  try {
    return { jsonrpc: '2.0', id: call.id, result: answer(call) };
  } catch (error) {
    return { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: String(error) } };
  }
}

const counts = new Map<string, number>();
let allowance = callsPerSecond;
let refilledAt = Date.now();
let refused = 0;

/** Whether so many calls may come now. */
function admits(calls: number): boolean {
  if (callsPerSecond === 0) return true;
  const now = Date.now();
  allowance = Math.min(MAX_BATCH, allowance + ((now - refilledAt) / 1_000) * callsPerSecond);
  refilledAt = now;
  if (calls > allowance) return false;
  allowance -= calls;
  return true;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    void (async () => {
      if (request.url === '/counts') {
        response.end(JSON.stringify({ ...Object.fromEntries(counts), refused }));
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[];
      const calls = [body].flat();
      if (calls.length > MAX_BATCH) {
        response.writeHead(413).end();
        return;
      }
      if (!admits(calls.length)) {
        refused += 1;
        response.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      const answers = calls.map(answerTo);
      await delay(callMs * calls.length);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
    })();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
