import { hexToNumber, numberToHex } from 'viem/utils';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { hashFor, rawBlock } from '../../sandbox/generated/evm-block.js';
import { exportBurning } from '../support/evm/atomic-blocks.js';
import { BENCH_CHAIN_ID } from './index-evm-shape.js';
import { type RpcCall, serveJsonRpc } from './serve-json-rpc.js';

/** The benchmark's node of a C-chain's headers: as many hashes of transactions in a block as on a busy day, an export in some. */

const TRANSACTIONS = 20;
const EXPORT_EVERY = 50;

const tip = Number(process.argv[2]) - 1;
const hashes = Array.from({ length: TRANSACTIONS }, (_, index) => hashFor(10n ** 9n + BigInt(index)));
const [before = '', behind = ''] = JSON.stringify({
  ...rawBlock(0).block,
  place: '?',
  logsBloom: `0x${'00'.repeat(256)}`,
  ...Object.fromEntries(['mixHash', 'sha3Uncles', 'stateRoot'].map((name) => [name, hashFor(7)])),
  baseFeePerGas: '0x5d21dba00',
  gasLimit: '0xe4e1c0',
  gasUsed: '0x1e8480',
  size: '0x1f40',
  uncles: [],
  extraData: `0x${'00'.repeat(80)}`,
  transactions: ['#'],
}).split('"place":"?"');

function block(height: number, isWhole: boolean): string {
  if (height > tip) return 'null';
  const extra = height % EXPORT_EVERY === 0 ? exportBurning(1_000n, BigInt(height)) : '0x';
  const own = {
    number: numberToHex(height),
    hash: hashFor(height + 1),
    parentHash: hashFor(height),
    timestamp: numberToHex(1_700_000_000 + 2 * height),
    blockExtraData: extra,
  };
  const last = isWhole ? '' : JSON.stringify(hashes).slice(1, -1);
  // The last of two equal names counts.
  return `${before.replace('"#"', last)}${JSON.stringify(own).slice(1, -1)}${behind}`;
}

function answer({ method, params }: RpcCall): string {
  switch (method) {
    case 'eth_chainId':
      return `"${numberToHex(BENCH_CHAIN_ID)}"`;
    case 'eth_blockNumber':
      return `"${numberToHex(tip)}"`;
    case 'eth_getBlockByNumber':
      return block(hexToNumber(params[0] as Hex), params[1] === true);
    case 'eth_getBlockReceipts':
      return '[]';
    default:
      return '"0x"'; // eth_call
  }
}

serveJsonRpc(answer);
