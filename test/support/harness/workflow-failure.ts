import { WorkflowFailedError, type Workflow, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, rootCause } from '@temporalio/common';

/** The failure of our own that ended a workflow. */
export async function failureOf<T extends Workflow>(handle: WorkflowHandle<T>): Promise<ApplicationFailure> {
  const error: unknown = await handle.result().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError)) throw new Error(`not failed: ${String(error)}`);
  const failure = findApplicationFailure(error);
  if (failure === undefined) throw new Error(`no application failure in ${String(rootCause(error))}`);
  return failure;
}

function findApplicationFailure(error: unknown): ApplicationFailure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause;
  }
  return undefined;
}
