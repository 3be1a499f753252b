import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../../../../workflows/contracts/deliver-webhook.js';
import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { EvmAddressSchema } from '../../../platform/http/schemas/evm-address.schema.js';
import { objectSchema } from '../../../platform/http/schemas/object.schema.js';
import { UuidSchema } from '../../../platform/http/schemas/uuid.schema.js';

const MAX_URL_LENGTH = 2_048;
const RULE = `must be a URL of at most ${MAX_URL_LENGTH} characters, with https or http and without a user`;

const MAX_ADDRESSES = 64;

const EXAMPLE_URL = 'https://wallet.example/hooks/exports';

export const AddWebhookRequestSchema = objectSchema(
  {
    url: z
      .string({ error: RULE })
      .max(MAX_URL_LENGTH, RULE)
      .refine(isCallable, RULE)
      .transform((text) => new URL(text).href)
      .meta({
        description:
          'Where to call. Hosts inside the network of the service are refused unless its operator allows them, redirects are not followed.',
        format: 'uri',
        example: EXAMPLE_URL,
      }),
    eventTypes: z
      .array(z.enum(WEBHOOK_EVENT_TYPES, { error: `must be ${WEBHOOK_EVENT_TYPES.join(' or ')}` }), {
        error: 'must be a list of types of events',
      })
      .min(1, 'must name at least one type of event')
      .transform((types) => WEBHOOK_EVENT_TYPES.filter((type) => types.includes(type)))
      .default(['operation.finished'])
      .meta({
        description: 'The events to call it for. Default: operation.finished alone.',
        example: ['operation.finished'],
      }),
    addresses: z
      .array(EvmAddressSchema, { error: 'must be a list of addresses' })
      .max(MAX_ADDRESSES, `must name at most ${MAX_ADDRESSES} addresses`)
      .transform((addresses) =>
        [...new Set(addresses)].sort().map((address): Address => `0x${address.slice(2)}`),
      )
      .default([])
      .meta({
        description:
          'Required with message.delivered, and only then: whose messages to report, on any chain of both networks.',
        example: [EXAMPLES.evmAddress],
      }),
  },
  'the body must be a JSON object',
)
  .refine(({ eventTypes, addresses }) => eventTypes.includes('message.delivered') === addresses.length > 0, {
    path: ['addresses'],
    error: 'must name at least one address for message.delivered, and none without it',
  })
  .meta({ example: { url: EXAMPLE_URL } });

export type AddWebhookRequest = z.output<typeof AddWebhookRequestSchema>;

function isCallable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

export const WebhookParameterSchema = z.object({
  webhookId: UuidSchema.meta({
    description: 'Id of the webhook, as returned when it was added.',
    example: 'b0f7a5b4-3a3f-4a0b-9d0e-6f6c1c5c8f31',
  }),
});

export type WebhookParameter = z.output<typeof WebhookParameterSchema>;
