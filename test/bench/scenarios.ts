import type { Child } from './child.js';
import { HttpClient } from './http-client.js';
import {
  compare,
  type Comparison,
  measure,
  type Measurement,
  MeasurementSchema,
  median,
  medianOf,
} from './measure.js';
import type { RequestMaker } from './messages.js';
import { ServiceClient } from './service-client.js';
import type { TestBed } from './test-bed.js';

/** One network and the service's API and worker on top of it. */
export interface Stage {
  bed: TestBed;
  nodeUrl: string;
  api: Child;
  worker: Child;
  newRequest: RequestMaker;
  /** How many requests a round has. */
  size: { warmUpMs: number; rounds: number; sequential: number; concurrent: number; callers: number };
}

export interface ColdStart {
  /** From starting the process to polling for work. */
  readyMs: number;
  /** The first request, sent at that moment, and again when it was refused because too few validators were connected. */
  firstRequestMs: number;
}

/** New workers with new p2p identities: the first request of each meets connections that are just being made. */
export async function measureColdStarts(stage: Stage, starts: number): Promise<ColdStart> {
  const readyMs: number[] = [];
  const firstRequestMs: number[] = [];
  const client = new ServiceClient(stage.api.url);
  for (let i = 0; i < starts; i++) {
    await stage.bed.stopChild(stage.worker);
    const startedAt = performance.now();
    stage.worker = await stage.bed.startWorker(stage.nodeUrl);
    readyMs.push(performance.now() - startedAt);
    const call = (): Promise<void> => client.aggregateEventually(stage.newRequest());
    const { p50Ms } = await measure({ count: 1, call });
    firstRequestMs.push(p50Ms);
  }
  client.close();
  return { readyMs: median(readyMs), firstRequestMs: median(firstRequestMs) };
}

/** Until the code is compiled, and those validators are connected whose weight the first answers did not need. */
async function warmUp({ warmUpMs, callers }: Stage['size'], call: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < warmUpMs) await measure({ count: callers, callers, call });
}

/** Distinct requests to a warm service, one after the other and by many callers at once. */
export async function measureWarm(
  { newRequest, size }: Stage,
  url: string,
): Promise<{ sequential: Measurement; concurrent: Measurement }> {
  const client = new ServiceClient(url);
  const call = (): Promise<void> => client.aggregate(newRequest());
  await warmUp(size, call);
  const sequential: Measurement[] = [];
  const concurrent: Measurement[] = [];
  for (let round = 0; round < size.rounds; round++) {
    sequential.push(await measure({ count: size.sequential, call }));
    concurrent.push(await measure({ count: size.concurrent, callers: size.callers, call }));
  }
  client.close();
  return { sequential: medianOf(sequential), concurrent: medianOf(concurrent) };
}

/** The durable service against the same library without anything around it. */
export async function compareWithInMemory(
  { newRequest, size }: Stage,
  serviceUrl: string,
  inMemoryUrl: string,
): Promise<Comparison> {
  const service = new ServiceClient(serviceUrl);
  const inMemory = new ServiceClient(inMemoryUrl, '/aggregate');
  const sequence = (client: ServiceClient) => (): Promise<Measurement> =>
    measure({ count: size.sequential, call: () => client.aggregate(newRequest()) });
  const options = {
    rounds: size.rounds * 2 + 1,
    ours: sequence(service),
    reference: sequence(inMemory),
  };
  await warmUp(size, () => inMemory.aggregate(newRequest()));
  await options.ours();
  const comparison = await compare(options);
  for (const client of [service, inMemory]) client.close();
  return comparison;
}

/**
 * One pairing for many signatures against one for each, without the service around it. Each message was asked for before:
 * nodes answer from memory then, so that the time of a thousand validators signing on this one machine is not measured.
 */
export async function compareVerification(
  { newRequest, size }: Stage,
  inMemoryUrl: string,
): Promise<Comparison> {
  const aggregateFirst = new ServiceClient(inMemoryUrl, '/aggregate');
  const verifyEach = new ServiceClient(inMemoryUrl, '/verify-each');
  const requests = Array.from({ length: size.sequential }, newRequest);
  const sequence = (client: ServiceClient) => (): Promise<Measurement> => {
    const left = [...requests];
    return measure({
      count: size.sequential,
      call: () => client.aggregate(left.pop() ?? newRequest()),
    });
  };
  const options = {
    rounds: size.rounds,
    ours: sequence(aggregateFirst),
    reference: sequence(verifyEach),
  };
  await options.ours();
  const comparison = await compare(options);
  for (const client of [aggregateFirst, verifyEach]) client.close();
  return comparison;
}

/** An equal request again, which Postgres answers, against `SELECT 1` through the same process. */
export async function compareStoredWithSelectOne(
  { bed, nodeUrl, newRequest }: Stage,
  count: number,
): Promise<Comparison> {
  const api = await bed.startSelectOneApi(nodeUrl);
  const client = new ServiceClient(api.url);
  const http = new HttpClient(api.url);
  const known = newRequest();
  const selectOne = async (): Promise<void> => {
    const { status, body } = await http.get('/select-one');
    if (status !== 200) throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
  };
  const options = {
    rounds: 7,
    ours: () => measure({ count, call: () => client.aggregate(known) }),
    reference: () => measure({ count, call: selectOne }),
  };
  await options.ours();
  await options.reference();
  const comparison = await compare(options);
  client.close();
  http.close();
  await bed.stopChild(api);
  return comparison;
}

/** Distinct aggregations per second against empty workflows per second on the same Temporal server. */
export async function compareWithEmptyWorkflows({ bed, api, newRequest, size }: Stage): Promise<Comparison> {
  const emptyWorker = await bed.startEmptyWorkflow('worker');
  const emptyClient = await bed.startEmptyWorkflow('client');
  const client = new ServiceClient(api.url);
  const control = new HttpClient(emptyClient.url);
  const count = size.concurrent;
  const { callers } = size;
  const runEmpty = async (): Promise<Measurement> => {
    const { status, body } = await control.get(`/?count=${count}&callers=${callers}`);
    if (status !== 200) throw new Error(`empty workflows: ${body.slice(0, 500)}`);
    return MeasurementSchema.parse(JSON.parse(body));
  };
  const options = {
    rounds: size.rounds * 2 + 1,
    ours: () => measure({ count, callers, call: () => client.aggregate(newRequest()) }),
    reference: runEmpty,
  };
  await options.ours();
  await options.reference();
  const comparison = await compare(options);
  client.close();
  control.close();
  await bed.stopChild(emptyClient);
  await bed.stopChild(emptyWorker);
  return comparison;
}
