import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import {
  Answers,
  type ApiOperation,
  exampleOf,
  operationsOf,
  requestArbitrary,
  type RequestPart,
  type RequestValues,
  toRequest,
  wrongValuesOf,
} from '../support/http/api-contract.js';
import { eventually } from '../support/harness/eventually.js';
import { isRecord } from '../support/http/list-api.js';
import { TestService } from '../support/harness/service.js';
import { headersWithKey } from '../support/http/api-keys.js';

/** It is worked out again every five minutes, should the first time fail. */
const SUPPLY_WITHIN_MS = 660_000;
const RUNS = 10;
/** Of the shapes that are tried; others by hand. */
const SEED = Number(process.env['SHAPES_SEED'] ?? 1);

/** Files come by links that cannot be made up, rewards need one of two parameters, and webhooks are there once they are added; they have tests of their own. */
const WITHOUT_EXAMPLES = new Set([
  'downloadExportFile',
  'downloadExportFile2',
  'downloadExportProof',
  'getOperation',
  'listPendingRewards',
  'listHistoricalRewards',
  'removeWebhook',
  'streamChanges',
]);

const CHAINS = ['p-chain', 'x-chain', 'evm-43112'];
const PlaceSchema = z.object({ height: z.string().optional(), tip: z.string().optional() });
const HealthSchema = z.object({
  details: z.object({ fuji: z.object({ index: z.record(z.string(), PlaceSchema).default({}) }) }),
});

/** Rules over several values, or about what there is in this network, that no schema can express: each with its sentence. */
const RULES = [
  // Lists
  String.raw`min\w+ must not be above max\w+`,
  String.raw`sortBy: delegationFee is available for mainnet with subnetId \w+ only`,
  String.raw`(addresses|rewardAddresses|options\.addresses): addresses of this network start with \w+1`,
  String.raw`either addresses or nodeIds must be provided`,
  String.raw`startTimestamp: must not be (after endTimestamp|in the future)`,
  String.raw`blockTimestamp: must not be in the future`,
  // Changes
  String.raw`cursor: block -?\d+ of \w+ is above the index's -?\d+`,
  String.raw`cursor: \w+ of \w+ is not indexed`,
  // Aggregations
  String.raw`either message or justification must be provided`,
  String.raw`quorumPercentage \(default 67\) \+ quorumPercentageBuffer must not exceed 100`,
  String.raw`destinationBlockchainId means the height of that chain's epoch: leave pChainHeight out`,
  String.raw`destinationBlockchainId: \w+ is not a blockchain of fuji`,
  String.raw`destinationBlockchainId: whether the Warp precompile of \w+ requires primary network signers is known .+; give signingSubnetId: \w+ if it does, otherwise \w+`,
  String.raw`pChainHeight: \d+ is above the network's \d+`,
  String.raw`signingSubnetId: unknown subnet \w+ on fuji`,
  String.raw`signingSubnetId: subnet \w+ has no validators at P-chain height \d+`,
  String.raw`justification: subnet \w+ was not converted to an L1, there is no message to derive`,
  String.raw`justification: \w+ is not a subnet of fuji; L1ValidatorWeight cannot be derived from a justification: give it as the message`,
  String.raw`txHash: \w+ is a P-chain transaction of type \w+, which produces no L1 message; only ConvertSubnetToL1, RegisterL1Validator and SetL1ValidatorWeight do`,
  // Webhooks
  String.raw`there are 10 webhooks of your organisation, remove one first`,
  String.raw`addresses: must name at least one address for message\.delivered, and none without it`,
  // Exports
  String.raw`options\.timeZone: must be the IANA name of a time zone, e\.g\. Europe/Zurich`,
  String.raw`options\.signatures: one is of 0x[0-9a-f]{40}, or of another text, and not of one of options\.addresses`,
  String.raw`options\.includeChains: \d+ is not an EVM chain of this service; configured are .+`,
  String.raw`(firstDate|startDate): must not be after today, [\d-]+ \([\w/+-]+\)`,
  String.raw`(firstDate|startDate): must not be after (lastDate|endDate) \([\d-]+, [\d-]+\)`,
  String.raw`(firstDate|startDate): must be at most \d+ days from (lastDate|endDate), which is [\d-]+(; data is available from [\d-]+ on)?`,
].join('|');

/** Some requests break several. */
const ONLY_RULES = new RegExp(`^(${RULES})(; (${RULES}))*$`);

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Of an answer without an end. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first: unknown = (await reader?.read())?.value;
  await reader?.cancel();
  return first instanceof Uint8Array ? new TextDecoder().decode(first) : '';
}

/** A service over the sandbox, asked for everything that its document describes. */
describe('the service and its OpenAPI document', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let document: Record<string, unknown>;
  let operations: ApiOperation[];
  let withKey: Record<string, string>;
  const answers = new Answers();

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5, blockIntervalMs: 0 });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        SANDBOX_NETWORKS: 'fuji',
        EVM_CHAINS_FILE: 'config/evm-chains.json',
        LOG_LEVEL: 'error',
      },
    });
    withKey = await headersWithKey(service.databaseUrl, 'acme');
    const { body } = await service.request('/openapi.json');
    if (!isRecord(body)) throw new Error('no document');
    document = body;
    operations = operationsOf(document);
    await eventually('its chains are indexed', async () => {
      const { details } = HealthSchema.parse((await service.request('/v1/health-check')).body);
      const { index } = details.fuji;
      return CHAINS.every(
        (chain) => index[chain]?.height !== undefined && index[chain].height === index[chain].tip,
      );
    });
    await eventually(
      'the supply is worked out',
      async () => (await service.request('/v1/native/supply')).status === 200,
      SUPPLY_WITHIN_MS,
    );
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  /** Sends a request and holds its answer against the document. */
  const ask = async (operation: ApiOperation, values: RequestValues) => {
    const { path, init } = toRequest(operation, values);
    const headers = { ...init.headers, ...(operation.needsKey ? withKey : {}) };
    const response = await fetch(`${service.url}${path}`, { ...init, headers });
    const text = isStream(response) ? await beginningOf(response) : await response.text();
    const what = `${operation.method} ${path} ${init.body ?? ''}: ${response.status} ${text.slice(0, 500)}`;
    if (response.status === 500) throw new Error(what);
    if (!operation.answers.has(response.status)) throw new Error(`undocumented status: ${what}`);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    const schema = operation.answers.get(response.status);
    const body: unknown = text === '' || isStream(response) ? undefined : JSON.parse(text);
    const problems = schema === undefined || isStream(response) ? [] : answers.problemsOf(schema, body);
    if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${what}`);
    return { status: response.status, message: isRecord(body) ? String(body['message']) : '', what };
  };

  it('answer every example of the document with success', async () => {
    const asked = operations.filter(({ id }) => !WITHOUT_EXAMPLES.has(id));
    expect(asked.length).toBeGreaterThan(11);
    for (const operation of asked) {
      const { status, what } = await ask(operation, exampleOf(operation));
      expect({ what, isSuccess: status < 300 }).toEqual({ what, isSuccess: true });
    }
  });

  it('accept every shape that the document allows', async () => {
    for (const operation of operations) {
      // Each run is an aggregation or an export that is really done.
      const isWork = operation.method === 'post';
      await fc.assert(
        fc.asyncProperty(requestArbitrary(operation), async (values) => {
          const { status, message, what } = await ask(operation, values);
          const isRule = status !== 400 || ONLY_RULES.test(message);
          if (!isRule) throw new Error(`refused: ${what}`);
        }),
        { numRuns: isWork ? 5 : RUNS, seed: SEED, endOnFailure: true },
      );
    }
  });

  it('refuse whatever single value the document forbids with a 400 that names it', async () => {
    for (const operation of operations) {
      for (const part of operation.parts.filter(({ place }) => place === 'path' || place === 'query')) {
        // Links that are not genuine are all alike, and a chain that does not exist is a 404.
        if (operation.id.startsWith('download') || part.schema['format'] === 'evm-chain') continue;
        // An empty part of a path is another path.
        const wrongValues = wrongValuesOf(part.schema).filter(
          (value) => part.place !== 'path' || value !== '',
        );
        for (const wrong of wrongValues) await refused(operation, part, wrong);
      }
    }
  });

  const refused = async (operation: ApiOperation, part: RequestPart, wrong: unknown) => {
    const { status, message, what } = await ask(operation, new Map([...exampleOf(operation), [part, wrong]]));
    expect({ what, status }).toEqual({ what, status: 400 });
    expect(message.startsWith(`${part.name}: `) || what).toBe(true);
  };

  it('refuse unknown query parameters everywhere', async () => {
    for (const operation of operations.filter(({ parts }) => parts.some(({ place }) => place === 'query'))) {
      if (operation.id.startsWith('download')) continue;
      const unknown: RequestPart = { place: 'query', name: 'nonsense', required: false, schema: {} };
      const { status, message } = await ask(operation, new Map([...exampleOf(operation), [unknown, 1]]));
      expect({ id: operation.id, status, message }).toEqual({
        id: operation.id,
        status: 400,
        message: 'unknown query parameter nonsense',
      });
    }
  });
});
