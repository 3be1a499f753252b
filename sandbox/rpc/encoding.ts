import type { BytesEncoding } from '../p-chain/misconduct.js';
import type { Encoding } from './arguments.js';
import { RpcFault } from './json-rpc-endpoint.js';

/** Throws RpcFault for JSON, which the sandbox does not make out of bytes. */
export function bytesEncoding(encoding: Encoding): BytesEncoding {
  if (encoding === 'json') throw new RpcFault('the sandbox does not simulate the encoding "json"');
  return encoding;
}
