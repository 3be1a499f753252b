import { expect } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { numberToHex } from 'viem/utils';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { packQuestions } from '../../../src/avalanche/evm/history/calls-in-one.js';
import { startSandbox } from '../../../sandbox/sandbox.js';

type Question = readonly [method: string, params?: unknown];

const UNKNOWN_HASH = `0x${'0'.repeat(64)}`;
const STRANGER = `0x${'5'.repeat(40)}` as const;
const callTracer = { tracer: 'callTracer' };

/** Bodies of requests for which a sandbox with the recording must have the answers of the node that was recorded. */
export function makeQuestions(recording: EvmRecording): string[] {
  const single = questionsAbout(recording).map(([method, params]) => toBody(method, params));
  return [...single, ...ODD_BODIES, `[${single.slice(0, 20).join(',')}]`];
}

function questionsAbout({ blocks, addresses, calls }: EvmRecording): Question[] {
  const tip = blocks.length - 1;
  const busiest = blocks.reduce((one, other) =>
    other.block.transactions.length > one.block.transactions.length ? other : one,
  ).block;
  const transaction = busiest.transactions[0]?.hash;
  const address = addresses[0]?.address;
  const tags = ['latest', 'pending', 'safe', 'finalized', 'accepted', 'earliest', numberToHex(tip)];
  const aboveTip = numberToHex(tip + 1);
  const badBlocks = [aboveTip, numberToHex(tip + 1_000_000), 'foo', '0x', '0x01', '0x1ffffffffffffffff', 1];
  return [
    ...[
      'eth_chainId',
      'net_version',
      'eth_blockNumber',
      'web3_clientVersion',
      'eth_syncing',
      'foo_bar',
      'foo',
    ].map((method): Question => [method, []]),
    ['eth_chainId'],
    ['eth_chainId', null],
    ['eth_blockNumber', [1]],
    ['eth_getBlockByNumber', {}],
    ...[[], ['0x1'], [null, true], ['0x1', 'x'], ['0x1', true, 3]].map((params): Question => [
      'eth_getBlockByNumber',
      params,
    ]),
    ...[...tags, ...badBlocks].flatMap((block): Question[] => [
      ['eth_getBlockByNumber', [block, false]],
      ['eth_getBlockByNumber', [block, true]],
      ['eth_getBlockReceipts', [block]],
      ['eth_getBalance', [address, block]],
      ['eth_getTransactionCount', [address, block]],
      ['eth_getCode', [address, block]],
      ['eth_call', [{ to: address, data: '0x06fdde03' }, block]],
      ['debug_traceBlockByNumber', [block, callTracer]],
    ]),
    ...[busiest.hash, UNKNOWN_HASH, '0x00', busiest.hash.toUpperCase().replace('X', 'x')].flatMap(
      (hash): Question[] => [
        ['eth_getBlockByHash', [hash, true]],
        ['eth_getBlockReceipts', [hash]],
        ['eth_getBlockReceipts', [{ blockHash: hash }]],
        ['eth_getTransactionByHash', [hash]],
        ['eth_getTransactionReceipt', [hash]],
        ['eth_getBalance', [address, { blockHash: hash }]],
      ],
    ),
    ['eth_getBlockReceipts', [{ blockNumber: '0x1' }]],
    ['eth_getTransactionByHash', [transaction]],
    ['eth_getTransactionReceipt', [transaction]],
    ['debug_traceTransaction', [transaction, callTracer]],
    ['debug_traceTransaction', [UNKNOWN_HASH, callTracer]],
    ['eth_getChainConfig'],
    ['eth_getBalance', [address]],
    ['eth_getBalance', ['0x8d', 'latest']],
    ['eth_getBalance', ['0x00000000000000000000000000000000000000fe', 'latest']],
    ...calls.flatMap(({ to, data }): Question[] => [
      ['eth_call', [{ to, data }, 'latest']],
      ['eth_getCode', [to, 'latest']],
    ]),
    ['eth_call', [{ to: calls[0]?.to, input: calls[0]?.data }]],
    ['eth_call', [{ data: packQuestions([...calls, { to: STRANGER, data: '0x06fdde03' }]) }, 'latest']],
  ];
}

/** Requests that are not quite JSON-RPC. */
const ODD_BODIES: readonly string[] = [
  ...['{bad', '', '[]', '""', '5', '{}', '[1]', '[[]]'],
  '{"jsonrpc":"2.0","method":"eth_chainId"}',
  '[{"jsonrpc":"2.0","method":"eth_chainId"}]',
  '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","method":"eth_chainId"},5,{"id":3}]',
  '{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}',
  '{"jsonrpc":"2.0","id":"x","method":"eth_chainId","params":[]}',
  '{"jsonrpc":"2.0","id":{},"method":"eth_chainId","params":[]}',
  '{"jsonrpc":"2.0","id":null,"method":"eth_chainId","params":[]}',
  JSON.stringify(Array.from({ length: 1_001 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))),
];

function toBody(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
}

/** Status, type and content of an answer; JSON is compared as such, because the order of its fields means nothing. */
export async function askEvmChain(nodeUrl: string, body: string, chain = 'C') {
  const response = await fetch(`${nodeUrl}/ext/bc/${chain}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  const content: unknown = text === '' ? text : JSON.parse(text);
  return {
    body: body.slice(0, 200),
    status: response.status,
    type: response.headers.get('content-type'),
    content,
  };
}

/** That a sandbox with the recording answers every question as the node that was recorded. */
export async function expectSameAnswers(given: {
  nodeUrl: string;
  recording: EvmRecording;
  /** Recorded beside it. */
  others?: readonly EvmRecording[];
}): Promise<void> {
  const { nodeUrl, recording, others = [] } = given;
  const evmRecordings = [recording, ...others];
  const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0, evmRecordings });
  try {
    const ofSandbox: unknown[] = [];
    const ofNode: unknown[] = [];
    for (const question of makeQuestions(recording)) {
      const answer = await askEvmChain(sandbox.url, question, recording.blockchainId);
      const expected = await askEvmChain(nodeUrl, question, recording.blockchainId);
      if (isDeepStrictEqual(answer, expected)) continue;
      ofSandbox.push({ question, answer });
      ofNode.push({ question, answer: expected });
    }
    expect(ofSandbox).toEqual(ofNode);
  } finally {
    await sandbox.stop();
  }
}
