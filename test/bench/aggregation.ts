import { join } from 'node:path';
import { startLocalNetwork } from '../../tools/localnet/local-network.js';
import { benchInternet } from './internet.js';
import { blockHashRequests, expiredRegistrationRequests } from './messages.js';
import { parseBenchOptions } from './options.js';
import { Report } from './report.js';
import {
  type Effort,
  compareStoredWithSelectOne,
  compareVerification,
  compareWithEmptyWorkflows,
  compareWithInMemory,
  measureColdStarts,
  measureWarm,
  type Stage,
} from './scenarios.js';
import { TestBed } from './test-bed.js';

/** `npm run bench -- aggregation`: what an aggregation takes, and what of that is the price of durability. */

const CALLERS = 16;
/** Against an aggregator in memory, which is compared with by one caller and by so many. */
const FEW_CALLERS = 8;
const REAL_NODES = 5;

const options = parseBenchOptions(process.argv.slice(2));
const startedAt = Date.now();
const log = (text: string): void =>
  console.error(`[bench ${String(Math.round((Date.now() - startedAt) / 1000)).padStart(3)} s] ${text}`);

function effortFor(validators: number): Effort {
  const warmUpMs = 2_000 + 10 * validators;
  const { quickSeconds } = options;
  if (quickSeconds === undefined) {
    return { callers: CALLERS, warmUpMs, coldStarts: 3, rounds: 3, comparisonRounds: 5, roundMs: 4_000 };
  }
  const roundMs = quickSeconds * 1_000;
  const short = { coldStarts: 1, rounds: 1, comparisonRounds: 1, roundMs };
  return { callers: CALLERS, warmUpMs: Math.min(warmUpMs, 2 * roundMs), ...short };
}

async function openStage(
  bed: TestBed,
  network: Pick<Stage, 'nodeUrl' | 'newRequest' | 'effort'>,
): Promise<Stage> {
  return { bed, service: await bed.startService(network.nodeUrl), ...network };
}

async function closeStage({ bed, service }: Stage): Promise<void> {
  await bed.stopChild(service);
}

async function benchRequests(stage: Stage, name: string): Promise<void> {
  log(`${name}: first requests`);
  report.addColdStart(name, await measureColdStarts(stage));
  log(`${name}: one after the other, and ${CALLERS} at once`);
  const warm = await measureWarm(stage, stage.service.url);
  report.addRequests(name, 'one after the other', warm.sequential);
  report.addRequests(name, `by ${CALLERS} callers`, warm.concurrent);
}

async function benchSandbox(bed: TestBed, validators: number): Promise<void> {
  const name = `${validators} simulated`;
  log(`${name}: starting the sandbox and the service`);
  const sandbox = await bed.startSandbox(validators);
  const nodeUrl = sandbox.url;
  const newRequest = await blockHashRequests(nodeUrl);
  const stage = await openStage(bed, { nodeUrl, newRequest, effort: effortFor(validators) });
  const isSmallest = validators === Math.min(...options.validators);
  await benchRequests(stage, name);
  await benchInMemory(stage, name, validators >= 100 ? { p50: '≤ 1.1 ×', rate: '' } : { p50: '', rate: '' });
  if (validators === Math.max(...options.validators)) await benchVerification(stage, name, validators);
  if (isSmallest) await benchOverhead(stage, name);
  await closeStage(stage);
  if (isSmallest) await benchApart(stage, name);
  await bed.stopChild(sandbox);
}

/** Slower to answer than simulated validators, and as slow for everybody. */
async function benchRealNodes(bed: TestBed): Promise<void> {
  const name = `${REAL_NODES} real nodes`;
  log(`${name}: starting them, which takes about a minute`);
  const dataDir = join(bed.folder, 'localnet');
  const network = await startLocalNetwork({ nodes: REAL_NODES, dataDir, progress: log });
  try {
    const newRequest = await expiredRegistrationRequests(network.url);
    const stage = await openStage(bed, { nodeUrl: network.url, newRequest, effort: effortFor(REAL_NODES) });
    await benchRequests(stage, name);
    await benchInMemory(stage, name, { p50: '≤ 1.5 ×', rate: '≥ 0.5 ×' });
    await closeStage(stage);
  } finally {
    await network.stop();
  }
}

async function benchInMemory(
  stage: Stage,
  name: string,
  goals: { p50: string; rate: string },
): Promise<void> {
  log(`${name}: comparing with an aggregator in memory`);
  const inMemory = await stage.bed.startInMemoryAggregator(stage.nodeUrl);
  const sequential = await compareWithInMemory(stage, inMemory, 1);
  report.addTimeRatio(`${name}: p50 against an aggregator in memory`, sequential, goals.p50);
  report.addProcessorTime(`${name}: processor time per request against it`, sequential);
  const concurrent = await compareWithInMemory(stage, inMemory, FEW_CALLERS);
  report.addRateRatio(
    `${name}: by ${FEW_CALLERS} callers, requests per second against it`,
    concurrent,
    goals.rate,
  );
  await stage.bed.stopChild(inMemory);
}

async function benchVerification(stage: Stage, name: string, validators: number): Promise<void> {
  log(`${name}: comparing with verifying each signature by itself`);
  const inMemory = await stage.bed.startInMemoryAggregator(stage.nodeUrl);
  const comparison = await compareVerification(stage, inMemory.url);
  const goal = validators >= 1000 ? '≥ 3 × faster' : '';
  report.addSpeedUp(`${name}: aggregate first against each by itself, in memory`, comparison, goal);
  await stage.bed.stopChild(inMemory);
}

/** Measurements that depend little on the number of validators. */
async function benchOverhead(stage: Stage, name: string): Promise<void> {
  log('comparing an equal request again with SELECT 1');
  const equal = await compareStoredWithSelectOne(stage);
  report.addTimeRatio('equal request again: p50 against `SELECT 1` through the same API', equal, '< 3 ×');
  log('comparing with empty workflows');
  const rates = await compareWithEmptyWorkflows(stage);
  report.addRateRatio(`${name}: by ${CALLERS} callers, against empty workflows`, rates, '≥ 0.8 ×');
}

async function benchApart({ bed, ...stage }: Stage, name: string): Promise<void> {
  log(`${name}: API and worker apart`);
  const [api, worker] = [await bed.startApi(stage.nodeUrl), await bed.startWorker(stage.nodeUrl)];
  const warm = await measureWarm({ bed, ...stage }, api.url);
  report.addRequests(name, 'API and worker apart, one after the other', warm.sequential);
  report.addRequests(name, `API and worker apart, by ${CALLERS} callers`, warm.concurrent);
  for (const child of [api, worker]) await bed.stopChild(child);
}

async function benchOnLoopback(bed: TestBed): Promise<void> {
  try {
    for (const validators of options.validators) await benchSandbox(bed, validators);
    if (options.real) await benchRealNodes(bed);
  } finally {
    console.log(report.toMarkdown());
  }
}

async function benchOnInternet(bed: TestBed): Promise<void> {
  const { baseline, goAggregator, quickSeconds } = options;
  const effort =
    quickSeconds === undefined
      ? { rounds: 3, roundMs: 15_000, steadyMs: 45_000 }
      : { rounds: 1, roundMs: quickSeconds * 1_000, steadyMs: quickSeconds * 4_000 };
  for (const validators of options.validators) {
    console.log(await benchInternet({ bed, validators, baseline, goAggregator, effort, log }));
  }
}

log('starting Postgres and Temporal');
const bed = await TestBed.start(log);
const report = new Report();
try {
  if (options.internet) await benchOnInternet(bed);
  else await benchOnLoopback(bed);
  log('done');
} finally {
  await bed.stop();
}
