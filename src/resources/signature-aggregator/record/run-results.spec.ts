import { describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { AggregateSignaturesInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import type { RequestOutcome } from '../../../../workflows/contracts/aggregation-run.js';
import type { Config } from '../../../platform/config/config.module.js';
import type { TemporalClient } from '../../../platform/temporal/temporal.module.js';
import type { SignatureRepository } from '../store/signature.repository.js';
import { RunResults } from './run-results.js';

const TEXT = 'platform.getValidatorsAt: HTTP 503';
const input = { requestDigest: 'a' } as AggregateSignaturesInput;

function failed(cause: Error): WorkflowFailedError {
  return new WorkflowFailedError('failed', cause, 'MAXIMUM_ATTEMPTS_REACHED');
}

describe(RunResults.name, () => {
  const resultOf = (result: () => Promise<unknown>): Promise<string> => {
    const temporal = {
      client: { workflow: { getHandle: () => ({ result }) } },
      wait: (_waitMs: number, _signal: AbortSignal, request: () => Promise<unknown>) => request(),
    } as unknown as TemporalClient;
    const results = new RunResults({ env: {} } as Config, temporal, {} as SignatureRepository);
    return results.of('run', input, new AbortController().signal);
  };

  it.each([
    ['NODE_UNREACHABLE', TEXT, 503, `the network's node failed: ${TEXT}`],
    ['NODE_BAD_RESPONSE', 'bad answer', 502, "the network's node failed: bad answer"],
    ['INSUFFICIENT_SIGNATURES', 'too few', 503, 'too few'],
  ])('names the one at fault by the code %s', async (type, message, statusCode, text) => {
    const outcome: RequestOutcome = { requestDigest: 'a', status: 'failed', type, message };
    const refusal = { statusCode, message: text, code: type };
    await expect(resultOf(async () => Promise.resolve({ outcomes: [outcome] }))).rejects.toMatchObject(
      refusal,
    );
    const failure = failed(ApplicationFailure.create({ type, message }));
    await expect(resultOf(() => Promise.reject(failure))).rejects.toMatchObject(refusal);
  });

  it('takes the last of equal requests in a run, for the one before has had its answer', async () => {
    const refused: RequestOutcome = { requestDigest: 'a', status: 'failed', type: 'X', message: TEXT };
    const signed = { status: 'signed', signingSubnetId: '', signers: 1, signedPercentage: 100 } as const;
    const outcomes: RequestOutcome[] = [refused, { requestDigest: 'a', ...signed, signedMessage: 'ff' }];
    expect(await resultOf(async () => Promise.resolve({ outcomes }))).toBe('ff');
  });
});
