import { API_KEY_HEADER } from '../schemas/api-key-header.js';
import { EXAMPLES } from './examples.js';

export const INTRODUCTION = `
Data of the Avalanche networks, read from their own chains, and signatures from their validators. All examples in this document come
from the sandbox network that \`npm start\` includes, so they work in "Try it out" as they are.

## Quick start

\`\`\`sh
curl 'http://127.0.0.1:3000/v1/networks/fuji/validators?validationStatus=active&pageSize=2'
curl 'http://127.0.0.1:3000/v1/networks/fuji/blockchains/p-chain/utxos?addresses=${EXAMPLES.address}'
curl -X POST 'http://127.0.0.1:3000/v1/signatureAggregator/fuji/aggregateSignatures' \\
  -H 'content-type: application/json' -d '{"message":"0x…"}'
\`\`\`

This document is at \`/openapi.json\`; clients can be generated from it. The service itself serves this page, which loads nothing from
other hosts.

## Values

Amounts, block numbers and other numbers that may exceed 2^53 are strings of decimal digits. Amounts of AVAX are in nAVAX (10⁻⁹ AVAX)
unless stated otherwise. For historical reasons, a few numbers that may become that large are integers (lock times, EVM chain ids): where
this matters, use a parser that keeps all digits. Times are UNIX seconds. 32-byte ids are in cb58, node ids are \`NodeID-\` followed by
cb58, addresses of the P- and X-chain are bech32 without a chain prefix, and EVM addresses have their EIP-55 checksum. A field that is
unknown or does not apply is omitted.

## Paging

Lists return up to \`pageSize\` rows and, if more follow, a \`nextPageToken\`. Send it as \`pageToken\` together with the same other
parameters; the last page has none. Tokens do not expire, and are valid for the same query only: any other query answers with a 400. A
page starts after the last row of the page before it, so rows that are added or removed in between cause no row to be skipped or
repeated. A list is only as complete as the index of its chain; \`/v1/health-check\` shows how far each index has got.

## Errors

Every error has the same body, \`{ message, statusCode, error }\`, and one of the statuses 400, 401, 403, 404, 429, 500, 502, 503;
downloads also answer 416. The message of a 400 begins with the name of the invalid part. Unknown parameters are refused, because a
misspelt filter would return too much. After a 503 or a 429, \`retry-after\` says when to try again. Every answer has an
\`x-request-id\`: that of the request if it is well-formed (1 to 128 letters, digits and \`-_.:/=+@~\`), otherwise a new UUID. The log
contains it as well.

## Idempotency

GET requests change nothing. Equal aggregations that run at the same time are combined and get the same answer. An export is started
only once for each \`Idempotency-Key\`: the same request with the same key returns the same operation and
\`idempotent-replayed: true\`.

## Keys and limits

Send your key as \`${API_KEY_HEADER}\`. Requests without a key are also answered, and are counted by client address. Every request costs
units (\`x-cost\`), and each organisation, or address without a key, has an allowance per minute and per day: \`ratelimit-policy\` states
both limits, and \`ratelimit-remaining\` what is left of the one that is closer to being used up. \`/v1/me\` shows all of it. Health checks and the status page are free. Bodies may have up to 256 KiB, URL
and headers together up to 16 KiB. A connection whose answer is not read for a minute is closed.
`.trim();

/** In the order of the page. */
export const TAGS = {
  'signature aggregator': 'Signed Warp messages, collected from the validators themselves.',
  'primary network':
    'Subnets, blockchains, validators, delegations and UTXOs of the P-, X- and C-chain, from the service’s own index.',
  chains: 'The indexed EVM chains.',
  'interchain messages': 'Messages between chains and their delivery.',
  changes: 'Changes by new blocks, as they happen.',
  NFTs: 'ERC-721 and ERC-1155 tokens with their metadata.',
  operations: 'Long-running exports.',
  'native asset': 'The supply of AVAX.',
  'usage metrics': 'How this service has been used.',
  health: 'For monitoring and operators.',
} as const;
