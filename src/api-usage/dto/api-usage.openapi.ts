import type { ParameterSchema } from '../../http/api-parameters.decorator.js';
import { GROUPINGS, REQUEST_TYPES, TIME_INTERVALS } from '../usage.js';

const timestamp = { type: 'integer', minimum: 0 } as const;

export const apiUsageParameters: Record<string, ParameterSchema> = {
  orgId: {
    type: 'string',
    description: 'Your own organisation, or public for requests without a key; that of the key by default.',
  },
  startTimestamp: {
    ...timestamp,
    description: 'UNIX seconds, rounded down to 0:00 UTC of its day; 30 days before the end by default.',
  },
  endTimestamp: {
    ...timestamp,
    description:
      'UNIX seconds, rounded down to 0:00 UTC of its day, which is not part of the answer; now by default.',
  },
  timeInterval: {
    type: 'string',
    enum: [...TIME_INTERVALS],
    default: 'daily',
    description:
      'Weeks begin on Monday, all in UTC. Minutes are known as long as the log of requests is kept.',
  },
  groupBy: { type: 'string', enum: [...GROUPINGS] },
  chainId: { type: 'string', maxLength: 256, description: 'As requests name it in their paths.' },
  responseCode: { type: 'integer', minimum: 100, maximum: 599 },
  requestType: {
    type: 'string',
    enum: [...REQUEST_TYPES],
    description: 'All requests are of the type data.',
  },
  apiKeyId: { type: 'string', format: 'uuid' },
  requestPath: {
    type: 'string',
    maxLength: 256,
    description: 'As this page writes it, such as /v1/networks/{network}/validators.',
  },
  pageToken: { type: 'string', description: 'The nextPageToken of the page before, of the same query.' },
};
