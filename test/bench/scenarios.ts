import type { Child } from './child.js';
import { HttpClient } from './http-client.js';
import {
  compare,
  type Comparison,
  measure,
  median,
  type Sample,
  SampleSchema,
  summarise,
  type Summary,
} from './measure.js';
import type { RequestMaker } from './messages.js';
import { ServiceClient } from './service-client.js';
import type { TestBed } from './test-bed.js';

/** One network and the service on top of it. */
export interface Stage {
  bed: TestBed;
  nodeUrl: string;
  service: Child;
  newRequest: RequestMaker;
  effort: Effort;
}

/** How long and how often is measured. */
export interface Effort {
  callers: number;
  coldStarts: number;
  warmUpMs: number;
  rounds: number;
  comparisonRounds: number;
  /** Of one side of one round. */
  roundMs: number;
}

export interface ColdStart {
  /** From starting the process to polling for work. */
  readyMs: number;
  /** The first request, sent at that moment, and again when it was refused because too few validators were connected. */
  firstRequestMs: number;
}

/** New processes with new p2p identities: the first request of each meets connections that are just being made. */
export async function measureColdStarts(stage: Stage): Promise<ColdStart> {
  const readyMs: number[] = [];
  const firstRequestMs: number[] = [];
  for (let i = 0; i < stage.effort.coldStarts; i++) {
    await stage.bed.stopChild(stage.service);
    const startedAtMs = performance.now();
    stage.service = await stage.bed.startService(stage.nodeUrl);
    readyMs.push(performance.now() - startedAtMs);
    const client = new ServiceClient(stage.service.url);
    const { totalMs } = await measure({
      forMs: 0,
      call: () => client.aggregateEventually(stage.newRequest()),
    });
    firstRequestMs.push(totalMs);
    client.close();
  }
  return { readyMs: median(readyMs), firstRequestMs: median(firstRequestMs) };
}

/** Until the code is compiled, and those validators are connected whose weight the first answers did not need. */
async function warmUp({ warmUpMs, callers }: Effort, call: () => Promise<void>): Promise<void> {
  await measure({ forMs: warmUpMs, callers, call });
}

/** Distinct requests to a warm service, one after the other and by many callers at once. */
export async function measureWarm(
  { newRequest, effort }: Stage,
  url: string,
): Promise<{ sequential: Summary; concurrent: Summary }> {
  const client = new ServiceClient(url);
  const call = (): Promise<void> => client.aggregate(newRequest());
  const { rounds, roundMs: forMs, callers } = effort;
  await warmUp(effort, call);
  const sequential: Sample[] = [];
  const concurrent: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    sequential.push(await measure({ forMs, call }));
    concurrent.push(await measure({ forMs, callers, call }));
  }
  client.close();
  return { sequential: summarise(sequential), concurrent: summarise(concurrent) };
}

/** The durable service against the same library without anything around it, with so many callers. */
export async function compareWithInMemory(
  { newRequest, effort, service: { url, pid } }: Stage,
  inMemoryProcess: Child,
  callers: number,
): Promise<Comparison> {
  const service = new ServiceClient(url);
  const inMemory = new ServiceClient(inMemoryProcess.url, '/aggregate');
  const { roundMs: forMs } = effort;
  const round = (client: ServiceClient, processId: number) => (): Promise<Sample> =>
    measure({ forMs, callers, processId, call: () => client.aggregate(newRequest()) });
  for (const client of [service, inMemory]) await warmUp(effort, () => client.aggregate(newRequest()));
  const comparison = await compare({
    rounds: effort.comparisonRounds,
    ours: round(service, pid),
    reference: round(inMemory, inMemoryProcess.pid),
  });
  for (const client of [service, inMemory]) client.close();
  return comparison;
}

/** Few enough that the validators keep their signatures. */
const KNOWN_REQUESTS = 16;

/**
 * One pairing for many signatures against one for each, without the service around it. Each message was asked for before:
 * nodes answer from memory then, so that the time of a thousand validators signing on this one machine is not measured.
 */
export async function compareVerification(
  { newRequest, effort }: Stage,
  inMemoryUrl: string,
): Promise<Comparison> {
  const aggregateFirst = new ServiceClient(inMemoryUrl, '/aggregate');
  const verifyEach = new ServiceClient(inMemoryUrl, '/verify-each');
  const requests = Array.from({ length: KNOWN_REQUESTS }, newRequest);
  let next = 0;
  const round = (client: ServiceClient) => (): Promise<Sample> =>
    measure({
      forMs: effort.roundMs,
      call: () => client.aggregate(requests[next++ % KNOWN_REQUESTS] ?? newRequest()),
    });
  await warmUp(effort, () => aggregateFirst.aggregate(newRequest()));
  for (const request of requests) await aggregateFirst.aggregate(request);
  const comparison = await compare({
    rounds: effort.comparisonRounds,
    ours: round(aggregateFirst),
    reference: round(verifyEach),
  });
  for (const client of [aggregateFirst, verifyEach]) client.close();
  return comparison;
}

/** An equal request again, which Postgres answers, against `SELECT 1` through the same process. */
export async function compareStoredWithSelectOne(stage: Stage): Promise<Comparison> {
  const { bed, nodeUrl, newRequest, effort } = stage;
  const api = await bed.startSelectOneApi(nodeUrl);
  const client = new ServiceClient(api.url);
  const http = new HttpClient(api.url);
  const known = newRequest();
  const selectOne = async (): Promise<void> => {
    const { status, body } = await http.get('/select-one');
    if (status !== 200) throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
  };
  await warmUp(effort, () => client.aggregate(known));
  await warmUp(effort, selectOne);
  const comparison = await compare({
    rounds: effort.comparisonRounds,
    // Some hundred requests a second: more time would not make the medians better.
    ours: () => measure({ forMs: effort.roundMs / 4, call: () => client.aggregate(known) }),
    reference: () => measure({ forMs: effort.roundMs / 4, call: selectOne }),
  });
  client.close();
  http.close();
  await bed.stopChild(api);
  return comparison;
}

/** Distinct aggregations per second against empty workflows per second on the same Temporal server. */
export async function compareWithEmptyWorkflows(stage: Stage): Promise<Comparison> {
  const { bed, service, newRequest, effort } = stage;
  const { callers, roundMs, warmUpMs } = effort;
  const emptyWorker = await bed.startEmptyWorkflow('worker');
  const emptyClient = await bed.startEmptyWorkflow('client');
  const client = new ServiceClient(service.url);
  const control = new HttpClient(emptyClient.url);
  const runEmpty = async (forMs: number): Promise<Sample> => {
    const { status, body } = await control.get(`/?forMs=${forMs}&callers=${callers}`);
    if (status !== 200) throw new Error(`empty workflows: ${body.slice(0, 500)}`);
    return SampleSchema.parse(JSON.parse(body));
  };
  await runEmpty(warmUpMs);
  const comparison = await compare({
    rounds: effort.comparisonRounds,
    ours: () => measure({ forMs: roundMs, callers, call: () => client.aggregate(newRequest()) }),
    reference: () => runEmpty(roundMs),
  });
  client.close();
  control.close();
  await bed.stopChild(emptyClient);
  await bed.stopChild(emptyWorker);
  return comparison;
}
