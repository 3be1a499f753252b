import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { patientDataSource } from '../support/harness/data-source-options.js';
import { makeRandom, type Random } from '../../sandbox/generated/evm-chain-generator.js';
import { toMarkdown, writeJson } from './accounting/report.js';
import { takeStock } from './accounting/take-stock.js';
import type { Verdict } from './accounting/verdict.js';
import { FAULTS } from './faults/all.js';
import type { Fault } from './faults/fault.js';
import { rollingUpgrade } from './faults/rolling-upgrade.js';
import { Indexes } from './indexes.js';
import { SignatureCheck } from './load/aggregations.js';
import { Caller } from './load/caller.js';
import { RequestLog } from './load/request-log.js';
import { SteadyLoad } from './load/steady-load.js';
import { parseOptions } from './options.js';
import { type Episode, Sequence } from './sequence.js';
import { ProcessSamples } from './soak/process-samples.js';
import { soakEnvironment } from './soak/report-heap.js';
import { FIRST_TIP } from './topology/far-networks.js';
import { preparePreviousVersion } from './topology/previous-version.js';
import { Topology } from './topology/topology.js';
import { KEY_ENTITIES } from '../../src/access/keys/api-key.entities.js';
import { createUnlimitedKey } from '../bench/unlimited-key.js';

/** `npm run test:faults`: what becomes of the service, its callers and their data when everything around it fails. */

const ORG_ID = 'faults';
/** So many have room on the small disk. */
const RUNNING_EXPORTS = 20;
const FIRST_TIP_SECONDS = 300;
const LAST_TIP_SECONDS = 120;

const startedAt = performance.now();
const print = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`[faults ${String(seconds).padStart(4)} s] ${text}`);
};
const options = parseOptions(process.argv.slice(2));
/** `spareMinutes`: what a run may take beyond the minutes that were asked for. */
const { spareMinutes, warmUpSeconds, calmSeconds } = options.isSmall
  ? { spareMinutes: 10, warmUpSeconds: 3, calmSeconds: 1 }
  : { spareMinutes: 60, warmUpSeconds: 10, calmSeconds: 8 };
/** A soak of half a minute has several reports of each process, too: on a busy machine some come late. */
const reportIntervalMs = options.isSmall ? 3_000 : 10_000;
const isSoak = options.soakMinutes !== undefined;
const faults = FAULTS.filter(({ name }) => options.only.includes(name));
const random = makeRandom(options.seed);

const running: Topology[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.all(running.map((each) => each.stop({ keep: true }))).then(() => process.exit(130));
  });
}

const previous = faults.includes(rollingUpgrade)
  ? await preparePreviousVersion(options.from, print)
  : undefined;
const samples = new ProcessSamples(reportIntervalMs);
const topology = await Topology.start({
  seed: options.seed,
  blocks: FIRST_TIP + Math.ceil((options.minutes + (options.soakMinutes ?? 0) + spareMinutes) * 60),
  random,
  isSmall: options.isSmall,
  internet: options.internet,
  version: { project: previous?.project },
  print,
  ...(isSoak
    ? { env: soakEnvironment(reportIntervalMs), onMessage: (name, message) => samples.hear(name, message) }
    : {}),
});
running.push(topology);
let isWhole = false;
try {
  isWhole = await run(topology);
} finally {
  if (!isWhole) print(`the logs are kept in ${topology.folder}`);
  await topology.stop({ keep: !isWhole });
}
process.exit(isWhole ? 0 : 1);

/** @returns whether all is as it must be */
async function run(topology: Topology): Promise<boolean> {
  const indexes = new Indexes(topology);
  const log = new RequestLog();
  const caller = new Caller(log, await makeKey(topology.postgres.current.url));
  const check = await SignatureCheck.create(topology.networks.directUrl);
  const load = new SteadyLoad(topology, caller, check, random);
  print('waiting for the indexes');
  if ((await indexes.untilAtTip(FIRST_TIP_SECONDS)) === undefined) {
    throw new Error(`the indexes do not come to the tip: ${(await indexes.behind()).join('; ')}`);
  }
  load.start();
  await delay(warmUpSeconds * 1000);

  const { episodes, left } = await runFaults(topology, load, indexes);
  const soaked: Verdict[] = isSoak
    ? await samples.soak({ topology, minutes: options.soakMinutes ?? 0, print })
    : [];

  print('ending the load');
  await load.stop();
  topology.networks.rest();
  const atTip = await indexes.untilAtTip(LAST_TIP_SECONDS, { slack: false });
  print('taking stock');
  const verdicts: Verdict[] = [
    ...episodes.flatMap((episode) => episode.verdicts),
    ...soaked,
    {
      what: 'all indexes come to the end of their chains',
      holds: atTip !== undefined,
      details: atTip === undefined ? (await indexes.behind({ slack: false })).join('; ') : '',
    },
    ...(await takeStock({
      topology,
      load,
      log,
      caller,
      episodes,
      pool: indexes.pool,
      orgId: ORG_ID,
      isSmall: options.isSmall,
    })),
  ];
  await indexes.close();
  const minutes = (performance.now() - startedAt) / 60_000;
  const accounting = { episodes, left, log, verdicts, seed: options.seed, minutes };
  console.log(toMarkdown(accounting));
  if (isSoak) console.log(samples.toMarkdown());
  writeJson(options.report, accounting);
  return verdicts.every(({ holds }) => holds);
}

async function runFaults(
  topology: Topology,
  load: SteadyLoad,
  indexes: Indexes,
): Promise<{ episodes: Episode[]; left: { fault: string; why: string }[] }> {
  const sequence = new Sequence({ topology, load, indexes, random, calmSeconds, print });
  const possible = faults.filter((fault) => fault.missing?.(topology) === undefined);
  const left = faults.flatMap((fault) => {
    const why = fault.missing?.(topology);
    return why === undefined ? [] : [{ fault: fault.name, why }];
  });
  for (const { fault, why } of left) print(`${fault} is left out: ${why}`);
  const until = performance.now() + options.minutes * 60_000;
  const episodes: Episode[] = [];
  for (const fault of possible) episodes.push(await sequence.run(fault));
  const again = possible.filter((fault) => fault !== rollingUpgrade);
  while (again.length > 0 && performance.now() < until) {
    for (const fault of shuffled(again, random)) {
      if (performance.now() < until) episodes.push(await sequence.run(fault));
    }
  }
  return { episodes, left };
}

function shuffled(values: readonly Fault[], random: Random): Fault[] {
  const rest = [...values];
  return values.flatMap(() => rest.splice(random(rest.length), 1));
}

/** With no other limit: what is tried is faults. */
async function makeKey(databaseUrl: string): Promise<string> {
  const dataSource = await new DataSource(
    patientDataSource({ url: databaseUrl, poolSize: 1, entities: KEY_ENTITIES }),
  ).initialize();
  try {
    return await createUnlimitedKey(dataSource, ORG_ID, { runningExports: RUNNING_EXPORTS });
  } finally {
    await dataSource.destroy();
  }
}
