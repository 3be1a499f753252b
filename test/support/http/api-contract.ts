import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { fromCb58 } from '../../../src/avalanche/ids/cb58.js';
import { unpackAddress } from '../../../src/avalanche/ids/address.js';
import { nodeIdFromString } from '../../../src/avalanche/ids/node-id.js';
import { EXAMPLES } from '../../../src/platform/http/openapi/examples.js';
import { isRecord } from './list-api.js';

type Json = Readonly<Record<string, unknown>>;

/** A parameter or a body, by where it goes. */
export interface RequestPart {
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsKey: boolean;
  readonly parts: readonly RequestPart[];
  /** Schemas of the bodies by status; undefined for a body that is no JSON, or none. */
  readonly answers: ReadonlyMap<number, Json | undefined>;
}

/** Values by part, in the form in which they are sent. */
export type RequestValues = ReadonlyMap<RequestPart, unknown>;

const METHODS = ['get', 'post'];

/** All operations of a document, with every reference replaced by what it stands for. */
export function operationsOf(document: Json): ApiOperation[] {
  const paths = recordOf(resolve(document, document['paths']));
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = recordOf(item)[method];
      return isRecord(operation) ? [toOperation(method, path, operation)] : [];
    }),
  );
}

function toOperation(method: string, path: string, operation: Json): ApiOperation {
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const body = bodySchema(operation['requestBody']);
  return {
    id: String(operation['operationId']),
    method,
    path,
    needsKey: Array.isArray(operation['security']) && operation['security'].length > 0,
    parts: [
      ...parameters.map(toPart),
      ...(body === undefined ? [] : [{ place: 'body' as const, name: 'body', required: true, schema: body }]),
    ],
    answers: new Map(
      Object.entries(recordOf(operation['responses'])).map(([status, answer]) => [
        Number(status),
        bodySchema(answer),
      ]),
    ),
  };
}

function toPart(parameter: unknown): RequestPart {
  const { in: place, name, required, schema } = recordOf(parameter);
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    throw new Error(`parameter in ${String(place)}`);
  }
  return { place, name: String(name), required: required === true, schema: recordOf(schema) };
}

function bodySchema(holder: unknown): Json | undefined {
  if (!isRecord(holder) || !isRecord(holder['content'])) return undefined;
  const json = holder['content']['application/json'];
  return isRecord(json) ? recordOf(json['schema']) : undefined;
}

function resolve(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(document, each));
  if (!isRecord(value)) return value;
  const ref = value['$ref'];
  if (typeof ref !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(document, each)]));
  }
  const target = ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, name) => recordOf(at)[name], document);
  return resolve(document, target);
}

function recordOf(value: unknown): Json {
  if (!isRecord(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  return value;
}

const passes = (read: (text: string) => unknown) => (text: string) => {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
};
const isId = passes((text) => (/^(0x)?[0-9a-f]{64}$/i.test(text) ? text : fromCb58(text)));
const eachOf = (read: (text: string) => unknown) => passes((text) => text.split(',').map(read));
const ANY = () => true;

/** Validates what is answered. Fields that the document does not have are errors, as far as it lists them. */
export class Answers {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly known = new Map<Json, ValidateFunction>();

  constructor() {
    addFormats.default(this.ajv);
    this.ajv.addFormat('uint64', {
      type: 'number',
      validate: (value: number) => Number.isInteger(value) && value >= 0,
    });
  }

  problemsOf(schema: Json, body: unknown): string[] {
    let validate = this.known.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile(recordOf(closed(schema)));
      this.known.set(schema, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  }
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]));
  const isObject = parts['type'] === 'object' && isRecord(parts['properties']);
  // An allOf of one is how a reference gets a description.
  return isObject && parts['additionalProperties'] === undefined
    ? { ...parts, additionalProperties: false }
    : parts;
}

/** Meaning of the formats of requests that their patterns cannot express. */
const REQUEST_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  id: isId,
  blockchain: (text) => text.endsWith('-chain') || isId(text),
  'node-id': passes(nodeIdFromString),
  'node-ids': eachOf(nodeIdFromString),
  'node-id-parts': ANY,
  addresses: eachOf(unpackAddress),
  'evm-address': (text) => text === text.toLowerCase(),
};

const ID = '11111111111111111111111111111111LpoYY';
const UNKNOWN_ID = 'ab'.repeat(32);

/** Values of the formats that patterns cannot make. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  blockchain: ['p-chain', 'x-chain', 'c-chain', ID, UNKNOWN_ID],
  id: [ID, UNKNOWN_ID, `0x${UNKNOWN_ID}`, EXAMPLES.conversionTxHash],
  'node-id': [EXAMPLES.nodeId, 'NodeID-111111111111111111116DBWJs'],
  'node-ids': [EXAMPLES.nodeId, `${EXAMPLES.nodeId},${EXAMPLES.nodeId}`],
  'node-id-parts': [EXAMPLES.nodeId, 'NodeID', 'a,b,c', '-'],
  addresses: [EXAMPLES.address, `P-${EXAMPLES.address}`, `X-${EXAMPLES.address},C-${EXAMPLES.address}`],
  'any-addresses': [EXAMPLES.address, EXAMPLES.evmAddress, `${EXAMPLES.evmAddress},C-${EXAMPLES.address}`],
  'change-cursor': ['p:0', 'p:1,x:0', 'p:1.2'],
  'evm-address': [
    EXAMPLES.evmAddress,
    EXAMPLES.nft.collection,
    `0x${'0'.repeat(40)}`,
    `0x${'AB'.repeat(20)}`,
  ],
  'ledger-address': [EXAMPLES.address, `P-${EXAMPLES.address}`, EXAMPLES.evmAddress],
  'key-signature': [EXAMPLES.keySignature],
  'evm-chain': [EXAMPLES.nft.chainId],
  'evm-chain-id': [EXAMPLES.evmChainId],
  'primary-chain': ['p-chain', 'x-chain', 'c-chain', ID],
  uri: ['https://wallet.example/hooks/exports', 'http://wallet.example'],
  'page-token': [''],
  date: ['1970-01-01', '2020-02-29', '2026-11-21'],
  'warp-message': [EXAMPLES.message, EXAMPLES.message.slice(2)],
  justification: ['', '0x', '00'.repeat(32)],
};

/** Values that a schema allows. */
function arbitraryOf(schema: Json): fc.Arbitrary<unknown> {
  const { type, format, pattern, minimum, maximum, properties, items } = schema;
  const choices: unknown = schema['enum'];
  if (isList(choices)) return fc.constantFrom(...choices);
  const samples = typeof format === 'string' ? SAMPLES[format] : undefined;
  if (samples !== undefined) return fc.constantFrom(...samples);
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: numberOf(minimum, 0),
        max: Math.min(numberOf(maximum, 2 ** 31 - 1), 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: numberOf(minimum, 0), max: numberOf(maximum, 2 ** 31), noNaN: true });
    case 'string':
      if (format === 'uuid') return fc.uuid({ version: [1, 4, 7] });
      if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
      return fc
        .string({ maxLength: numberOf(schema['maxLength'], 64) })
        .filter((text) => !/[\ud800-\udfff]/.test(text));
    case 'array': {
      const max = Math.min(numberOf(schema['maxItems'], 3), 3);
      return fc.array(arbitraryOf(recordOf(items)), {
        minLength: numberOf(schema['minItems'], 0),
        maxLength: max,
      });
    }
    case 'object': {
      const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
      const fields = Object.entries(recordOf(properties));
      return fc.record(
        Object.fromEntries(fields.map(([name, field]) => [name, arbitraryOf(recordOf(field))])),
        { requiredKeys: fields.flatMap(([name]) => (required.has(name) ? [name] : [])) },
      );
    }
    default:
      throw new Error(`no values of ${JSON.stringify(schema)}`);
  }
}

/** Values that it does not allow, each with what is wrong; nothing for what allows every text. */
export function wrongValuesOf(schema: Json): readonly unknown[] {
  const { type, pattern, format, minimum, maximum } = schema;
  if (Array.isArray(schema['enum'])) return ['none of them', ''];
  switch (type) {
    case 'boolean':
      return ['yes', '1', ''];
    case 'integer':
    case 'number':
      return [
        'many',
        '',
        '1e',
        ...(typeof minimum === 'number' ? [minimum - 1] : []),
        ...(typeof maximum === 'number' ? [maximum + 1] : []),
        ...(type === 'integer' ? [1.5] : []),
      ];
    case 'string': {
      if (format === 'page-token') return ['x', 'A'.repeat(600)];
      if (format === 'uuid') return ['no-uuid'];
      if (typeof pattern !== 'string') return [];
      const rule = new RegExp(pattern);
      const isRight = (text: string) => rule.test(text) && (REQUEST_FORMATS[String(format)] ?? ANY)(text);
      return ['\u0000', 'ä', '%', "' OR 1=1", '-1', 'NodeID-1', 'fuji1qqq', '0x', 'zz'].filter(
        (text) => !isRight(text),
      );
    }
    default:
      return ['nothing of the kind'];
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** The request that a person sends who leaves everything as the document shows it. */
export function exampleOf(operation: ApiOperation): RequestValues {
  return new Map(
    operation.parts.flatMap((part): [RequestPart, unknown][] => {
      const { example } = part.schema;
      if (example !== undefined) return [[part, example]];
      if (part.required) throw new Error(`${operation.id}: ${part.name} has no example`);
      return [];
    }),
  );
}

export function requestArbitrary({ parts }: ApiOperation): fc.Arbitrary<RequestValues> {
  const each = parts.map((part) => {
    const value = arbitraryOf(part.schema);
    const given = part.required ? value : fc.option(value, { nil: undefined, freq: 1 });
    return given.map((chosen): [RequestPart, unknown] => [part, chosen]);
  });
  return fc.tuple(...each).map((values) => new Map(values.filter(([, value]) => value !== undefined)));
}

/** As it goes over the wire. */
export function toRequest(
  { method, path }: ApiOperation,
  values: RequestValues,
): { path: string; init: RequestInit & { body?: string } } {
  let filled = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let body: string | undefined;
  for (const [{ place, name }, value] of values) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    if (place === 'query') query.set(name, String(value));
    if (place === 'header') headers[name] = String(value);
    if (place === 'body') {
      headers['content-type'] = 'application/json';
      body = JSON.stringify(value);
    }
  }
  const search = query.toString();
  return {
    path: search === '' ? filled : `${filled}?${search}`,
    init: { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) },
  };
}
