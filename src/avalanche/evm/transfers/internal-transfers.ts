import { EvmError } from '../evm.error.js';
import { asArray, asObject, type Hash, readAddress, readUint256, ZERO_ADDRESS } from '../rpc/hex-values.js';
import { type Movement, NATIVE_MINTER } from './transfers.js';

/** The EVM's own limit of nested calls is 1024. */
const MAX_TRACE_DEPTH = 1_025;
/** A call costs at least 100 gas, so a hostile contract fits hundreds of thousands of them into one transaction. */
export const MAX_TRACE_FRAMES = 250_000;

const VALUE_FRAMES: ReadonlySet<unknown> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
const CREATING_FRAMES: ReadonlySet<unknown> = new Set(['CREATE', 'CREATE2']);
/** The precompile acts for its caller, even if the call is a delegate call. */
const MINTING_FRAMES: ReadonlySet<unknown> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL']);

/** mintNativeCoin(address,uint256); before Durango nothing may stand behind the two. The address' padding may be anything. */
const MINT_INPUT = /^0x4f5aaaba[0-9a-f]{24}([0-9a-f]{40})([0-9a-f]{64})$/;

interface TransactionPlace {
  readonly hash: Hash;
  readonly index: number;
}

interface Pending {
  readonly frame: unknown;
  readonly path: string;
  readonly depth: number;
}

/**
 * The native value that contracts moved within one transaction, from its callTracer frames (avalanchego v1.15.0 uses libevm
 * eth/tracers/native/call.go), in the order of the calls.
 *
 * The outermost frame is the transaction itself, whose value is a NATIVE movement already. DELEGATECALL and CALLCODE print a value that
 * stays where it is. What happened beneath a frame with an error was undone, so nothing of it is read.
 *
 * Where `mintsByCalls` (see native-mints.ts) calls of the native minter are MINT movements too, the transaction's own call included.
 * Anywhere else a log reports them, or nobody answers at that address and calls of it do nothing.
 *
 * Throws EvmError `MALFORMED`; `TRACE_TOO_LARGE` past {@link MAX_TRACE_FRAMES} or the EVM's depth.
 */
export function recogniseInternalMovements(
  trace: unknown,
  transaction: TransactionPlace,
  { mintsByCalls = false }: { readonly mintsByCalls?: boolean } = {},
): Movement[] {
  const movements: Movement[] = [];
  // A stack of our own: the author of the contract, or a lying node, chooses the nesting depth.
  const pending: Pending[] = [{ frame: trace, path: '', depth: 0 }];
  let seen = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { frame: value, path, depth } = next;
    const frame = asObject(value, 'trace frame');
    seen += 1;
    if (isPresent(frame['error'])) continue;
    if (depth > 0) addMovement(movements, frame, path, transaction);
    if (mintsByCalls) addMint(movements, frame, path, transaction);
    if (!isPresent(frame['calls'])) continue;
    const calls = asArray(frame['calls'], 'calls of a trace frame');
    if (depth + 1 > MAX_TRACE_DEPTH || seen + pending.length + calls.length > MAX_TRACE_FRAMES) {
      throw new EvmError('TRACE_TOO_LARGE', `the trace of ${transaction.hash} has too many calls`);
    }
    for (let index = calls.length - 1; index >= 0; index -= 1) {
      pending.push({
        frame: calls[index],
        path: path === '' ? `${index}` : `${path}_${index}`,
        depth: depth + 1,
      });
    }
  }
  return movements;
}

function addMovement(
  movements: Movement[],
  frame: Readonly<Record<string, unknown>>,
  path: string,
  transaction: TransactionPlace,
): void {
  if (!VALUE_FRAMES.has(frame['type']) || !isPresent(frame['value'])) return;
  const amount = readUint256(frame['value'], 'value of a trace frame');
  if (amount === 0n) return;
  const to = readAddress(frame['to'], 'recipient of a trace frame');
  movements.push({
    kind: 'INTERNAL',
    ...placeOf(transaction, path),
    from: readAddress(frame['from'], 'sender of a trace frame'),
    to,
    contract: CREATING_FRAMES.has(frame['type']) ? to : null,
    amount,
  });
}

function addMint(
  movements: Movement[],
  frame: Readonly<Record<string, unknown>>,
  path: string,
  transaction: TransactionPlace,
): void {
  if (!MINTING_FRAMES.has(frame['type']) || frame['to'] !== NATIVE_MINTER) return;
  const [, to, amount] = MINT_INPUT.exec(String(frame['input'])) ?? [];
  if (to === undefined || amount === undefined) return;
  movements.push({
    kind: 'MINT',
    ...placeOf(transaction, path),
    from: ZERO_ADDRESS,
    to: `0x${to}`,
    contract: null,
    amount: BigInt(`0x${amount}`),
  });
}

function placeOf({ hash, index }: TransactionPlace, path: string) {
  return { txHash: hash, txIndex: index, logIndex: null, batchIndex: null, tracePath: path, tokenId: null };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
