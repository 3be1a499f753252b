import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contracts/search-attributes.js';

/** `temporal.api.enums.v1.IndexedValueType` */
const INDEXED_VALUE_TYPES = { Keyword: 2, Int: 3, Double: 4 } as const;

/** Makes the namespace know our search attributes; knowing them already is fine. Must run before any worker polls. */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]])),
  });
}
