import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** The secret of a webhook, as receivers' libraries take it. `key`: of the installation. */
export function webhookSecret(key: Uint8Array, webhookId: string): string {
  return SECRET_PREFIX + createHmac('sha256', key).update(webhookId).digest('base64');
}

/**
 * Headers by which the receiver knows the sender, a repetition (`webhook-id`) and the age of a request: those of the Standard Webhooks
 * specification, for which there are libraries. `seconds`: UNIX time of the attempt.
 */
export function signatureHeaders(
  secret: string,
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): Record<string, string> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
