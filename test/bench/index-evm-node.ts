import { encodeAbiParameters, hexToNumber, numberToHex } from 'viem/utils';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import { listRoot } from '../../src/avalanche/evm/commitments/list-root.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import { BENCH_CHAIN_ID, benchChainShape } from './index-evm-shape.js';
import { type RpcCall, serveJsonRpc } from './serve-json-rpc.js';

/**
 * The benchmark's EVM node: blocks with all that a real node prints, made into text ahead, so that it costs the machine little
 * beside what it is there for.
 */

const BLOOM = `0x${'00'.repeat(256)}`;
const WORD = `0x${'5c'.repeat(32)}`;
const TEXT = encodeAbiParameters([{ type: 'string' }], ['Token']);

const blocks = generateEvmChain(benchChainShape(Number(process.argv[2]))).map((block) => ({
  block: Buffer.from(JSON.stringify(asPrinted(block))),
  receipts: Buffer.from(JSON.stringify(receiptsAsPrinted(block))),
}));

function asPrinted({ block }: RecordedEvmBlock): object {
  return {
    ...block,
    baseFeePerGas: '0x5d21dba00',
    blobGasUsed: '0x0',
    blockExtraData: '0x',
    blockGasCost: '0x0',
    difficulty: '0x1',
    excessBlobGas: '0x0',
    extDataGasUsed: '0x0',
    extDataHash: listRoot([]), // equal to the hash of no extra data
    extraData: `0x${'00'.repeat(80)}`,
    gasLimit: '0xe4e1c0',
    gasUsed: '0x1e8480',
    logsBloom: BLOOM,
    mixHash: WORD,
    nonce: '0x0000000000000000',
    parentBeaconBlockRoot: WORD,
    sha3Uncles: WORD,
    size: '0x1f40',
    stateRoot: WORD,
    totalDifficulty: '0x1',
    uncles: [],
    transactions: block.transactions.map((transaction) => ({
      ...transaction,
      accessList: [],
      chainId: numberToHex(BENCH_CHAIN_ID),
      maxFeePerGas: '0x5d21dba00',
      maxPriorityFeePerGas: '0x1',
      yParity: '0x1',
    })),
  };
}

function receiptsAsPrinted({ block, receipts }: RecordedEvmBlock): object[] {
  return receipts.map((receipt, index) => {
    const transaction = block.transactions[index];
    const [from, to] = [transaction?.['from'], transaction?.['to']];
    const logs = receipt.logs.map((log) => ({ ...log, removed: false }));
    return { ...receipt, logs, from, to };
  });
}

/** All blocks are there from the beginning, unless a tip is given: it grows by one with each `bench_grow`. */
let tip = Number(process.argv[3] ?? blocks.length - 1);

function answer({ method, params }: RpcCall): string | Buffer {
  switch (method) {
    case 'eth_chainId':
      return `"${numberToHex(BENCH_CHAIN_ID)}"`;
    case 'eth_blockNumber':
      return `"${numberToHex(tip)}"`;
    case 'bench_grow':
      tip = Math.min(blocks.length - 1, tip + 1);
      return `"${numberToHex(tip)}"`;
    case 'eth_getBlockByNumber':
      return blocks[hexToNumber(params[0] as Hex)]?.block ?? 'null';
    case 'eth_getBlockReceipts':
      return blocks[hexToNumber(params[0] as Hex)]?.receipts ?? 'null';
    default:
      return `"${TEXT}"`; // eth_call
  }
}

serveJsonRpc(answer);
