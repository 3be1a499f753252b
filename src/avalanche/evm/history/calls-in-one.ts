import type { Address, Hex } from '../rpc/hex-values.js';

/**
 * Many questions to contracts in one `eth_call` without `to`, upon any block: its data are run as the code of a contract that is being
 * created, which asks the others and returns their answers in place of itself. Nothing has to be deployed for it. It needs opcodes of
 * Constantinople, which Avalanche's chains have from their beginnings.
 *
 * The answers stay far below the size of a contract (24,576 bytes) and begin with none of the reserved bytes (0xef).
 */

export interface Question {
  readonly to: Address;
  /** At most 68 bytes: a selector and two words. */
  readonly data: Hex;
}

/**
 * Memory: 0x00 the answer, 0x20 a question, from 0x100 the answers. Stack: place of the next answer, place of the next question in the
 * code.
 */
const CODE = [
  '610100', // PUSH2 0x100: the first answer
  '6058', // PUSH1 end of this code: the first question
  '5b', // next:
  '388110601557', // JUMPI(ask, question < CODESIZE)
  '5061010080910390f3', // RETURN(0x100, answer - 0x100)
  '5b', // ask:
  '605981602039', // CODECOPY(0x20, question, 89)
  '60008052', // MSTORE(0, 0)
  '60206000', // returned: at most 32 bytes, to 0
  '60345160f81c6035', // data: as many bytes as the question says, from 0x35
  '60205160601c', // the contract
  '620493e0fa', // STATICCALL with 300,000 gas: tokens that are no simple ones take half as much
  '3d15800160203d140102', // × (2 if nothing was returned, 1 if 32 bytes were)
  '808353', // MSTORE8(answer, that)
  '600051028260010152', // MSTORE(answer + 1, MLOAD(0) × that)
  '605901', // question += 89
  '9060210190', // answer += 33
  '600556', // JUMP(next)
].join('');

const DATA_BYTES = 68;
const ADDRESS_DIGITS = 40;
const ANSWER_DIGITS = 2 * 33;
/** `0x` and one word. */
export const WORD_LENGTH = 66;
/** First byte of an answer. */
const [ONE_WORD, NOTHING] = ['01', '02'];

/** Data of the call. */
export function packQuestions(questions: readonly Question[]): Hex {
  return `0x${CODE}${questions.map(packQuestion).join('')}`;
}

function packQuestion({ to, data }: Question): string {
  const digits = data.slice(2);
  if (digits.length > 2 * DATA_BYTES) throw new RangeError(`a question of ${digits.length / 2} bytes`);
  const length = (digits.length / 2).toString(16).padStart(2, '0');
  return `${to.slice(2)}${length}${digits.padEnd(2 * DATA_BYTES, '0')}`;
}

/** The questions in such data; undefined of any other. */
export function unpackQuestions(data: Hex): Question[] | undefined {
  if (!data.startsWith(`0x${CODE}`)) return undefined;
  const packed = data.slice(2 + CODE.length);
  const size = ADDRESS_DIGITS + 2 + 2 * DATA_BYTES;
  return Array.from({ length: packed.length / size }, (_, index) => {
    const each = packed.slice(index * size);
    const end = ADDRESS_DIGITS + 2 + 2 * Number(`0x${each.slice(ADDRESS_DIGITS, ADDRESS_DIGITS + 2)}`);
    return { to: `0x${each.slice(0, ADDRESS_DIGITS)}`, data: `0x${each.slice(ADDRESS_DIGITS + 2, end)}` };
  });
}

/** Of what contracts have returned; undefined of those that have failed. */
export function packAnswers(returned: readonly (Hex | undefined)[]): Hex {
  const answers = returned.map((data) => {
    if (data?.length === WORD_LENGTH) return `${ONE_WORD}${data.slice(2)}`;
    return (data === '0x' ? NOTHING : '').padEnd(ANSWER_DIGITS, '0');
  });
  return `0x${answers.join('')}`;
}

/**
 * The words that contracts have returned, 0 of those that returned nothing, undefined of those that failed or returned something else.
 * None where these are not the answers to so many questions.
 */
export function readAnswers(data: Hex, count: number): (bigint | undefined)[] {
  if (data.length !== 2 + count * ANSWER_DIGITS) return [];
  return Array.from({ length: count }, (_, index) => {
    const answer = data.slice(2 + index * ANSWER_DIGITS, 2 + (index + 1) * ANSWER_DIGITS);
    if (answer.startsWith(NOTHING)) return 0n;
    return answer.startsWith(ONE_WORD) ? BigInt(`0x${answer.slice(2)}`) : undefined;
  });
}
