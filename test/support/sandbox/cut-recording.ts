import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import type { PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';

/**
 * The recording as if it had ended at this height. The node's answers are the last ones that were recorded until then.
 * Throws RangeError where there is no such block, or where it waits for its decision: no node rests there.
 */
export function cutRecording(recording: PChainRecording, height: number): PChainRecording {
  const { blocks, answers } = recording;
  const [first, ...rest] = blocks.slice(0, height + 1);
  const last = blocks[height];
  if (first === undefined || last === undefined) throw new RangeError(`no block ${height} was recorded`);
  if (parseBlock(fromHex(last.bytes)).type.endsWith('Proposal')) {
    throw new RangeError(`block ${height} is a proposal, and its decision would be cut off`);
  }
  const [firstAnswers, ...otherAnswers] = answers.filter((answer) => BigInt(answer.height) <= BigInt(height));
  if (firstAnswers === undefined) throw new RangeError(`no answers until block ${height} were recorded`);
  return { ...recording, blocks: [first, ...rest], answers: [firstAnswers, ...otherAnswers] };
}
