import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';

/** `temporal.api.enums.v1.IndexedValueType` */
const INDEXED_VALUE_TYPES = { Keyword: 2, Int: 3, Double: 4 } as const;

/** gRPC status code. */
const INVALID_ARGUMENT = 3;

/** The server's services read namespaces anew every 2 s by default (`system.namespaceCacheRefreshInterval`). */
const KNOWN_TIMEOUT_MS = 60_000;
const KNOWN_RETRY_MS = 200;

/**
 * Makes the namespace know our search attributes, and waits until queries may name them; knowing them already is fine. Must run before
 * any worker polls.
 */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length > 0) {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]])),
    });
  }
  await untilKnown(connection, namespace);
}

/** Another worker may have registered them just now, so this is asked in any case. */
async function untilKnown({ workflowService }: NativeConnection, namespace: string): Promise<void> {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} IS NOT NULL`)
    .join(' OR ');
  const deadline = performance.now() + KNOWN_TIMEOUT_MS;
  for (;;) {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (error) {
      const isUnknown = isGrpcServiceError(error) && Number(error.code) === INVALID_ARGUMENT;
      if (!isUnknown || performance.now() > deadline) throw error;
    }
    await delay(KNOWN_RETRY_MS);
  }
}
