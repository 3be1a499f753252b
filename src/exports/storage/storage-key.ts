/** No dot in front: such names are the storage's own. */
const NAME = /^[\w-][\w.-]{0,199}$/;

/** Throws TypeError: keys are made by this service alone. */
export function parseKey(key: string): { operationId: string; name: string } {
  const [operationId = '', name = '', ...rest] = key.split('/');
  if (!NAME.test(name) || rest.length > 0) throw new TypeError(`${JSON.stringify(key)} is not a storage key`);
  return { operationId: checkOperationId(operationId), name };
}

/** Throws TypeError. */
export function checkOperationId(operationId: string): string {
  if (!NAME.test(operationId)) throw new TypeError(`${JSON.stringify(operationId)} is not an operation id`);
  return operationId;
}
