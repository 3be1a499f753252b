/** avalanchego takes no longer for an answer. */
const MAX_REQUEST_MS = 10_000;
/** The first attempt runs inside a workflow task, whose timeout is 10 s. */
const MAX_FIRST_ATTEMPT_MS = 5_000;

/** The parts of an attempt at collecting signatures, as proportions of the time that it has. */
export function aggregationTimes(timeoutMs: number) {
  const part = (share: number): number => Math.round(share * timeoutMs);
  return {
    /** For connecting to the quorum's weight, before the attempt gives up. */
    connectTimeoutMs: part(5 / 6),
    /** After this the quorum is enough, if the buffer has not been reached. */
    bufferTimeoutMs: part(1 / 3),
    /** For one validator's answer. */
    requestTimeoutMs: Math.min(part(1 / 6), MAX_REQUEST_MS),
    /** How long refusals are retried that may be due to a validator lagging behind. */
    refusalRetryMs: part(1 / 6),
    /**
     * How long refusals are retried that may be due to a C-chain block that is accepted but not executed yet. So far below the whole
     * time that a message which will never be signed ends with that refusal, not with a new attempt.
     */
    executionRetryMs: part(2 / 3),
    /** For the first attempt, before the regular, heartbeating activity takes over. */
    firstAttemptMs: Math.min(part(1 / 20), MAX_FIRST_ATTEMPT_MS),
  };
}
