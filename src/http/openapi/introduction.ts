import { API_KEY_HEADER } from '../api-key-header.js';
import { EXAMPLES } from './examples.js';

export const INTRODUCTION = `
Data of the Avalanche networks, read from their own chains, and signatures of their validators. All examples here are of the sandbox
network that \`npm start\` brings along: "Try it out" works with them as they are.

## Quick start

\`\`\`sh
curl 'http://127.0.0.1:3000/v1/networks/fuji/validators?validationStatus=active&pageSize=2'
curl 'http://127.0.0.1:3000/v1/networks/fuji/blockchains/p-chain/utxos?addresses=${EXAMPLES.address}'
curl -X POST 'http://127.0.0.1:3000/v1/signatureAggregator/fuji/aggregateSignatures' \\
  -H 'content-type: application/json' -d '{"message":"0x…"}'
\`\`\`

This document is at \`/openapi.json\`; clients can be generated from it. It is served by the service itself, and needs no network.

## Values

Amounts, block numbers and other numbers that may pass 2^53 are strings of decimal digits; amounts of AVAX are in nAVAX, 10⁻⁹ AVAX,
where nothing else is said. A few numbers that may become that large are integers because they have always been (lock times, EVM chain
ids): read them with a parser that keeps all digits where that matters. Times are UNIX seconds. Ids of 32 bytes are cb58, node ids
\`NodeID-\` and cb58, addresses of the P- and X-chain bech32 without a chain in front, EVM addresses have their EIP-55 checksum. A field
that is not known, or does not apply, is left out.

## Paging

Lists answer \`pageSize\` rows and, where more follow, a \`nextPageToken\`. Send it as \`pageToken\` together with the same other
parameters; the last page has none. Tokens do not expire, and fit no other query: those are answered with a 400. Pages are
cut at the last row that was shown, so that rows which come or go in between are neither lost nor shown twice. A list may be as
incomplete as the index of its chain; \`/v1/health-check\` tells how far that is.

## Errors

Every error has the one body \`{ message, statusCode, error }\`, and one of the statuses 400, 401, 403, 404, 429, 500, 502, 503. The
message of a 400 begins with the name of what is wrong, and unknown parameters are refused, because a misspelt filter would answer too
much. After a 503 and a 429, \`retry-after\` says when to ask again. Every answer has \`x-request-id\`: that of the request when it
is well-formed (1 to 128 letters, digits and \`-_.:/=+@~\`), a new UUID otherwise; the log has it, too.

## Idempotency

GETs change nothing. Equal aggregations that run at the same time are one, and give the same answer. An export is started once for an
\`Idempotency-Key\`: the same request with the same key answers with the same operation and \`idempotent-replayed: true\`.

## Keys and limits

A key is sent as \`${API_KEY_HEADER}\`. Without one the service answers, too, and counts by client address. Every request costs units, of
which there are so many a minute and a day: \`ratelimit-policy\` has both limits, \`ratelimit-remaining\` what is left of the nearer
one. Health checks and the status page are free. Bodies may have 256 KiB, URL and headers 16 KiB together.
`.trim();

/** In the order of the page. */
export const TAGS = {
  'signature aggregator': 'Signed Warp messages from the validators themselves.',
  'primary network':
    'Subnets, validators, delegations and UTXOs of the P-, X- and C-chain, from their own index.',
  chains: 'The EVM chains that are indexed.',
  'interchain messages': 'What has become of messages between chains.',
  NFTs: 'Tokens of ERC-721 and ERC-1155 with their metadata.',
  operations: 'Exports that take their time.',
  'native asset': 'How much AVAX there is.',
  'usage metrics': 'What has been asked of this service.',
  health: 'For those who watch over the service.',
} as const;
