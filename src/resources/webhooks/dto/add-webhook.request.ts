import { z } from 'zod';
import { objectSchema } from '../../../platform/http/schemas/object.schema.js';
import { UuidSchema } from '../../../platform/http/schemas/uuid.schema.js';

const MAX_URL_LENGTH = 2_048;
const RULE = `must be a URL of at most ${MAX_URL_LENGTH} characters, with https or http and without a user`;

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
  },
  'the body must be a JSON object',
).meta({ example: { url: EXAMPLE_URL } });

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
