import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { RE2JS } from 're2js';
import { INTRODUCTION } from '../../src/platform/http/openapi/introduction.js';
import { describeApi } from '../support/http/api-document.js';
import { isRecord } from '../support/http/list-api.js';

describe('the OpenAPI document', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await describeApi();
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, { get, head, post, delete: remove }]) =>
      Object.entries({ get, head, post, delete: remove }).flatMap(([method, operation]) =>
        operation === undefined ? [] : [{ name: `${method} ${path}`, path, operation }],
      ),
    );

  it('has no errors by the recommended rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config,
    });
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('has no pattern that RE2 does not take, as many generated clients use it', () => {
    const patterns = new Set<string>();
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') patterns.add(value);
      return value;
    });
    expect(patterns.size).toBeGreaterThan(5);
    for (const pattern of patterns) expect(() => RE2JS.compile(pattern)).not.toThrow();
  });

  it('has examples of parameters only where they are needed', () => {
    const filledIn = operations().flatMap(({ name, operation }) =>
      (operation.parameters ?? []).flatMap((parameter) => {
        if ('$ref' in parameter || parameter.required === true || parameter.schema === undefined) return [];
        return 'example' in parameter.schema ? [`${name}: ${parameter.name}`] : [];
      }),
    );
    expect(filledIn).toEqual([]);
  });

  it('documents the freshness of the lists of one chain', () => {
    const told = operations().filter(({ operation }) => {
      const answer = operation.responses['200'];
      return isRecord(answer) && isRecord(answer['headers']) && 'x-index-height' in answer['headers'];
    });
    expect(told.map(({ operation }) => operation.operationId)).toEqual([
      'getNetworkDetails',
      'listSubnets',
      'getSubnet',
      'listBlockchains',
      'getBlockchain',
      'listValidators',
      'listValidationsOfNode',
      'listValidationCycles',
      'listL1Validators',
      'listPendingRewards',
      'listHistoricalRewards',
      'listDelegators',
      'listUtxos',
      'getBalances',
      'listStakingTransactions',
    ]);
  });

  it('gives every operation a short summary', () => {
    expect(operations().map(({ operation }) => operation.operationId)).toEqual([
      'listChains',
      'getApiUsageMetrics',
      'checkHealth',
      'checkReadiness',
      'checkLife',
      'getStatus',
      'aggregateSignatures',
      'getAggregatedSignatures',
      'getSigners',
      'getNetworkDetails',
      'listSubnets',
      'getSubnet',
      'listBlockchains',
      'getBlockchain',
      'listValidators',
      'listValidationsOfNode',
      'listValidationCycles',
      'listL1Validators',
      'listPendingRewards',
      'listHistoricalRewards',
      'listDelegators',
      'listUtxos',
      'getBalances',
      'listStakingTransactions',
      'listInterchainMessages',
      'listInterchainMessagesOfTransaction',
      'getInterchainMessage',
      'streamChanges',
      'exportTransactions',
      'exportLedger',
      'listOperations',
      'getOperation',
      'deleteOperation',
      'downloadExportFile',
      'headExportFile',
      'downloadExportFile2',
      'headExportFile2',
      'downloadExportProof',
      'getNftToken',
      'getNativeSupply',
      'getMe',
      'listWebhooks',
      'addWebhook',
      'removeWebhook',
    ]);
  });

  it('explains every parameter and every field, with an example wherever a value is no choice', () => {
    const silent: string[] = [];
    for (const { name, operation } of operations()) {
      if (operation.summary === undefined || operation.description === undefined) silent.push(name);
      for (const parameter of operation.parameters ?? []) {
        if ('description' in parameter && parameter.description !== '') continue;
        silent.push(`${name} ${JSON.stringify(parameter)}`);
      }
    }
    const look = (schema: unknown, at: string): void => {
      if (!isRecord(schema)) return;
      for (const [name, field] of Object.entries(
        isRecord(schema['properties']) ? schema['properties'] : {},
      )) {
        if (!isRecord(field)) throw new Error(`${at}.${name} is nothing`);
        if (typeof field['description'] !== 'string') silent.push(`${at}.${name} has no description`);
        const isLeaf = ['string', 'integer', 'number', 'boolean'].some((type) => field['type'] === type);
        if (
          isLeaf &&
          field['example'] === undefined &&
          field['enum'] === undefined &&
          !at.includes('genesisData')
        ) {
          silent.push(`${at}.${name} has no example`);
        }
        look(field, `${at}.${name}`);
        look(field['items'], `${at}.${name}[]`);
      }
    };
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) look(schema, name);
    expect(silent).toEqual([]);
  });

  it('documents the unit of every time and amount', () => {
    const schemas = JSON.stringify(document.components?.schemas);
    const descriptions = [...schemas.matchAll(/"(\w*(?:[tT]imestamp))":\{([^{}]*)\}/g)];
    expect(descriptions.length).toBeGreaterThan(15);
    for (const [, name, field] of descriptions) expect(`${name}: ${field}`).toMatch(/UNIX seconds/);
  });

  it('types the genesis of chains', () => {
    expect(document.components?.schemas?.['BlockchainResponse']).toMatchObject({
      properties: {
        genesisData: {
          properties: {
            airdropAmount: { type: 'integer', nullable: true },
            alloc: { additionalProperties: { properties: { balance: { type: 'string' } } } },
            config: {
              properties: { chainId: { type: 'integer' }, feeConfig: { properties: { gasLimit: {} } } },
            },
          },
        },
      },
    });
  });

  it('gives all errors the one body, and documents limits and keys', () => {
    const { schemas, responses, headers, securitySchemes } = document.components ?? {};
    expect(Object.keys(schemas ?? {}).filter((name) => name.includes('Error'))).toEqual(['ErrorResponse']);
    for (const response of Object.values(responses ?? {})) {
      expect(response).toMatchObject({
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
        headers: { 'x-request-id': {} },
      });
    }
    expect(responses?.['TooManyRequests']).toMatchObject({
      headers: {
        'ratelimit-policy': {},
        'ratelimit-limit': {},
        'ratelimit-remaining': {},
        'ratelimit-reset': {},
        'retry-after': {},
      },
    });
    expect(responses?.['Unauthorized']).toMatchObject({ headers: { 'www-authenticate': {} } });
    expect(Object.keys(headers ?? {})).toContain('ratelimit-policy');
    expect(securitySchemes).toMatchObject({ apiKey: { in: 'header', name: 'x-data-api-key' } });
    expect(document.security).toEqual([{}, { apiKey: [] }]);
    expect(document.servers).toMatchObject([{ url: '/' }]);
  });

  it('puts parameters of the path before all others', () => {
    for (const { name, operation } of operations()) {
      const places = (operation.parameters ?? []).map((parameter) => 'in' in parameter && parameter.in);
      const inPath = places.filter((place) => place === 'path').length;
      expect({ name, places: places.slice(0, inPath) }).toEqual({ name, places: Array(inPath).fill('path') });
    }
  });

  it('shows limits, defaults and patterns of parameters', () => {
    const parametersOf = (path: string) => document.paths[path]?.get?.parameters ?? [];
    const validators = parametersOf('/v1/networks/{network}/validators');
    const schemaOf = (parameters: typeof validators, name: string) =>
      parameters.flatMap((each) => ('name' in each && each.name === name ? [each.schema] : []))[0];
    expect(schemaOf(validators, 'pageSize')).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
    expect(schemaOf(validators, 'minFeePercentage')).toEqual({ type: 'number', minimum: 2, maximum: 100 });
    expect(schemaOf(validators, 'minDelegationCapacity')).toMatchObject({ type: 'string' });
    const utxos = parametersOf('/v1/networks/{network}/blockchains/{blockchainId}/utxos');
    expect(schemaOf(utxos, 'minUtxoAmount')).toMatchObject({ type: 'number', minimum: 0, default: 0 });
    expect(schemaOf(utxos, 'includeSpent')).toEqual({ type: 'boolean', default: false });
    expect(document.paths['/v1/operations/transactions:export']?.post?.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: {
            properties: {
              options: {
                properties: { addresses: { minItems: 1, maxItems: 64 }, includeChains: { maxItems: 16 } },
              },
            },
          },
        },
      },
    });
  });

  it('documents the limits of exports as they are configured', async () => {
    const configured = await describeApi({ EXPORT_MAX_ADDRESSES: '7' });
    expect(configured.paths['/v1/operations/transactions:export']?.post?.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: {
            properties: {
              firstDate: { description: expect.stringContaining('At most 3660 days before the last.') },
              options: { properties: { addresses: { maxItems: 7 }, includeChains: { maxItems: 16 } } },
            },
          },
        },
      },
    });
    expect(configured.paths['/v1/operations/ledger:export']?.post?.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: { properties: { options: { properties: { addresses: { maxItems: 7 } } } } },
        },
      },
    });
  });

  it('introduces itself with a quick start, values, paging, errors, idempotency and limits', () => {
    const chapters = [...INTRODUCTION.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(chapters).toEqual(['Quick start', 'Values', 'Paging', 'Errors', 'Idempotency', 'Keys and limits']);
    expect(document.info.description).toBe(INTRODUCTION);
    const tags = new Set((document.tags ?? []).map(({ name }) => name));
    for (const { operation } of operations()) {
      for (const tag of operation.tags ?? []) expect(tags).toContain(tag);
    }
  });
});
