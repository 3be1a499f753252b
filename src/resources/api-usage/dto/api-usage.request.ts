import { z } from 'zod';
import { PUBLIC_ORG } from '../../../access/keys/caller.js';
import { chainName } from '../../../access/usage/chains-seen.js';
import {
  integerSchema,
  oneOfSchema,
  querySchema,
  TextSchema,
} from '../../../platform/http/schemas/query.schema.js';
import { GROUPINGS, REQUEST_TYPES, TIME_INTERVALS } from '../../../access/usage/usage.js';

/** The end of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799n;
const MAX_TEXT = 256;

const timestamp = integerSchema({ min: 0n, max: MAX_TIMESTAMP }).transform(Number);
const text = TextSchema.max(MAX_TEXT, `must be ${MAX_TEXT} characters or less`);

export const ApiUsageQuerySchema = querySchema({
  orgId: text
    .meta({
      description:
        'Your own organisation, or `public` for requests without a key. Default: the organisation of the key.',
      example: PUBLIC_ORG,
    })
    .optional(),
  startTimestamp: timestamp
    .meta({
      description: 'UNIX seconds, rounded down to 0:00 UTC of that day. Default: 30 days before the end.',
    })
    .optional(),
  endTimestamp: timestamp
    .meta({
      description: 'UNIX seconds, rounded down to 0:00 UTC of that day, which is not included. Default: now.',
    })
    .optional(),
  timeInterval: oneOfSchema(TIME_INTERVALS)
    .meta({
      description:
        'All intervals are in UTC; weeks begin on Monday. Minutes are available for as long as the request log is kept.',
    })
    .default('daily'),
  groupBy: oneOfSchema(GROUPINGS)
    .meta({ description: 'Return one value for each of these instead of one for all requests.' })
    .optional(),
  chainId: text
    .transform(chainName)
    .meta({ description: 'Only requests with this chain in their paths, written as in the path.' })
    .optional(),
  responseCode: integerSchema({ min: 100n, max: 599n })
    .transform(String)
    .meta({ description: 'Only requests that were answered with this status.' })
    .optional(),
  requestType: oneOfSchema(REQUEST_TYPES)
    .meta({ description: 'Only requests of this type. All requests have the type data.' })
    .optional(),
  apiKeyId: z
    .uuid({ error: 'must be a UUID' })
    .meta({ description: 'Only requests with this key.' })
    .optional(),
  requestPath: text
    .meta({
      description: 'Only requests for this path, written as in this document.',
      example: '/v1/networks/{network}/validators',
    })
    .optional(),
});
export type ApiUsageQuery = z.output<typeof ApiUsageQuerySchema>;
