import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../../../sandbox/local/processes/progress.js';
import type { LocalNetwork } from '../local-network.js';
import { makeScenario } from '../scenario/context.js';
import { CreatedL1Schema, startL1, type CreatedL1, type L1 } from './start-l1.js';

/** The network's L1: that of its earlier starts, whose ids are in the network's folder, or a new one. */
export async function keepL1(given: {
  network: LocalNetwork;
  dataDir: string;
  progress: Progress;
}): Promise<L1> {
  const { network, dataDir, progress } = given;
  const file = join(dataDir, 'l1.json');
  const scenario = await makeScenario({ url: network.url, step: progress });
  const created = existsSync(file)
    ? CreatedL1Schema.parse(JSON.parse(readFileSync(file, 'utf8')))
    : undefined;
  return startL1({
    network,
    scenario,
    created,
    progress,
    onCreated: (l1: CreatedL1) => writeFileSync(file, describe(l1)),
  });
}

function describe({ height, ...ids }: CreatedL1): string {
  return `${JSON.stringify({ ...ids, height: height.toString() }, undefined, 2)}\n`;
}
