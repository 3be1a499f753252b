import type pg from 'pg';
import type { Caller } from '../load/caller.js';
import type { RequestLog } from '../load/request-log.js';
import type { SteadyLoad } from '../load/steady-load.js';
import type { Episode } from '../sequence.js';
import type { Topology } from '../topology/topology.js';
import { compareMessages } from './messages.js';
import { judgeRequests } from './requests.js';
import { compareRows } from './rows.js';
import { Truth } from './truth.js';
import { accountForUsage } from './usage.js';
import type { Verdict } from './verdict.js';
import { accountForAggregations, accountForExports, accountForWorkflows } from './work.js';

/** All that must be so when everything has come to rest. */
export async function takeStock(options: {
  topology: Topology;
  load: SteadyLoad;
  log: RequestLog;
  caller: Caller;
  episodes: readonly Episode[];
  pool: pg.Pool;
  orgId: string;
  isSmall: boolean;
}): Promise<Verdict[]> {
  const { topology, load, log, caller, episodes, pool, orgId, isSmall } = options;
  const { chains, networks, apis } = topology;
  const truth = new Truth(chains);
  const verdicts = judgeRequests(log, episodes, { isSmall });
  verdicts.push(...accountForAggregations(load.aggregations));
  verdicts.push(...(await accountForExports(load.exports, truth, pool)));
  verdicts.push(...(await accountForWorkflows(topology)));
  for (const made of [chains.source, chains.destination]) {
    verdicts.push(...(await compareRows({ pool, made, tip: networks.tip, truth })));
  }
  verdicts.push(await compareMessages(topology, caller));
  // They store their last records before they end.
  const kills = apis.flatMap(({ name, killedAt }) => killedAt.map((at) => ({ process: name, at })));
  await Promise.all(apis.map((api) => api.stop()));
  verdicts.push(await accountForUsage({ pool, orgId, log, kills }));
  return verdicts;
}
