import type { InterchainMessageResponse } from './schema.js';

/** Content of a webhook's request; `type` decides which. */
export type WebhookEvent = OperationFinished | MessageDelivered;

interface EventOf<Type extends string, Data> {
  /** The same whenever it is sent again. */
  readonly id: string;
  readonly type: Type;
  /** When it happened; ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Data>;
}

/** An operation of the organisation has ended. */
export type OperationFinished = EventOf<
  'operation.finished',
  { operationId: string; operationType: string; operationStatus: string }
>;

/** A message of one of the webhook's addresses was delivered; `/v1/icm/messages/{messageId}` has more of it. */
export type MessageDelivered = EventOf<
  'message.delivered',
  Pick<
    InterchainMessageResponse,
    | 'messageId'
    | 'icmContractAddress'
    | 'sourceBlockchainId'
    | 'destinationBlockchainId'
    | 'sourceEvmChainId'
    | 'destinationEvmChainId'
    | 'messageNonce'
    | 'from'
    | 'to'
  > &
    Required<Pick<InterchainMessageResponse, 'destinationTransaction'>> & {
      network: 'mainnet' | 'fuji';
      /** Those of the webhook that the message concerns. */
      addresses: string[];
    }
>;

/** A request that is not one of the service's, or too old: whoever has seen one may send it again. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookRequest {
  /** Of Node or of fetch. */
  readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** As it came: another spelling of the same JSON has another signature. */
  readonly body: string;
}

const SECRET_PREFIX = 'whsec_';
const MAX_AGE_SECONDS = 300;

/** Reads a webhook's request, once its signature and its age prove it. Rejects with WebhookError: answer 400 then. */
export async function readWebhook({ headers, body }: WebhookRequest, secret: string): Promise<WebhookEvent> {
  const all = new Headers(headers instanceof Headers ? headers : entriesOf(headers));
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => all.get(`webhook-${name}`) ?? '',
  );
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= MAX_AGE_SECONDS)) throw new WebhookError('the request is too old, or of the future');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = bytesOf(secret.slice(SECRET_PREFIX.length));
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of (signatures ?? '').split(' ')) {
    if (!/^v1,[A-Za-z0-9+/]{43}=$/.test(signature)) continue;
    if (await crypto.subtle.verify(algorithm, key, bytesOf(signature.slice(3)), signed)) {
      return { id, ...JSON.parse(body) } as WebhookEvent;
    }
  }
  throw new WebhookError('the request is not signed with the secret of this webhook');
}

function entriesOf(headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    // Node's names of HTTP/2, such as :path, are none of fetch.
    typeof value === 'string' && /^webhook-/i.test(name) ? [[name, value]] : [],
  );
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
