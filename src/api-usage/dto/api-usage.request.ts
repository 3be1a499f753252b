import { z } from 'zod';
import {
  integerSchema,
  oneOfSchema,
  PageTokenSchema,
  querySchema,
  TextSchema,
} from '../../http/schemas/query.schema.js';
import { GROUPINGS, REQUEST_TYPES, TIME_INTERVALS } from '../usage.js';

/** The end of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799n;
const MAX_TEXT = 256;

const timestamp = integerSchema({ min: 0n, max: MAX_TIMESTAMP }).transform(Number).optional();
const text = TextSchema.max(MAX_TEXT, `must be ${MAX_TEXT} characters or less`).optional();

export const ApiUsageQuerySchema = querySchema({
  orgId: text,
  startTimestamp: timestamp,
  endTimestamp: timestamp,
  timeInterval: oneOfSchema(TIME_INTERVALS).default('daily'),
  groupBy: oneOfSchema(GROUPINGS).optional(),
  chainId: text,
  responseCode: integerSchema({ min: 100n, max: 599n }).transform(String).optional(),
  requestType: oneOfSchema(REQUEST_TYPES).optional(),
  apiKeyId: z.uuid({ error: 'must be a UUID' }).optional(),
  requestPath: text,
  pageToken: PageTokenSchema,
});
export type ApiUsageQuery = z.output<typeof ApiUsageQuerySchema>;
