import { CLEAR, type Weather } from '../topology/link.js';
import { type Fault, type FaultContext, nothing, unavailable } from './fault.js';

const HOLD_SECONDS = 30;
/** Longer than heights and validator sets count while the node is away. */
const PARTITION_SECONDS = 45;

async function during(weather: Weather, seconds: number, context: FaultContext): Promise<void> {
  const { sky } = context.topology.networks;
  sky.set(weather);
  await context.hold(seconds);
  sky.set(CLEAR);
}

export const slowNetworks: Fault = {
  name: 'slow-networks',
  what: 'nodes and validators are 400 ms away (there and back) for 30 s',
  allows: nothing,
  run: (context) => during({ kind: 'slow', delayMs: 200 }, HOLD_SECONDS, context),
};

export const lossyNetworks: Fault = {
  name: 'lossy-networks',
  what: 'one piece in ten to and from nodes and validators is late by 0.2 to 1.8 s, one in fifty ends its connection, for 30 s',
  allows: unavailable('aggregations'),
  run: (context) => during({ kind: 'lossy', stallPercent: 10, resetPercent: 2 }, HOLD_SECONDS, context),
};

export const partition: Fault = {
  name: 'partition',
  what: 'nothing comes through to nodes and validators for 45 s',
  allows: unavailable('aggregations'),
  run: (context) => during({ kind: 'cut' }, PARTITION_SECONDS, context),
};
