import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { BodyPipe } from '../../../platform/http/pipes/body.pipe.js';
import { AggregateSignaturesRequestSchema } from './aggregate-signatures.request.js';

const HEIGHT_RULE =
  'pChainHeight: must be a P-chain height up to 9007199254740991, or 0 for the proposed one';
const PERCENTAGE_RULE = 'quorumPercentage: must be an integer from 0 to 100';

describe('the body of an aggregation', () => {
  const parse = (given: object): unknown =>
    new BodyPipe(AggregateSignaturesRequestSchema).transform({ message: EXAMPLES.message, ...given });

  it.each([
    [{ pChainHeight: 2 ** 53 }, HEIGHT_RULE],
    [{ pChainHeight: 1e308 }, HEIGHT_RULE],
    [{ pChainHeight: -1 }, HEIGHT_RULE],
    [{ pChainHeight: 1.5 }, HEIGHT_RULE],
    [{ pChainHeight: '7' }, HEIGHT_RULE],
    [{ quorumPercentage: 2 ** 53 }, PERCENTAGE_RULE],
    [{ quorumPercentage: 1e308 }, PERCENTAGE_RULE],
    [{ quorumPercentage: -(2 ** 53) }, PERCENTAGE_RULE],
  ])('is refused with one sentence about the field for %j', (given, message) => {
    expect(() => parse(given)).toThrow(expect.objectContaining({ statusCode: 400, message }));
  });

  it('may name every height that a number holds exactly', () => {
    expect(parse({ pChainHeight: 2 ** 53 - 1 })).toMatchObject({ pChainHeight: 2 ** 53 - 1 });
  });
});
