import { method, type RpcService } from './json-rpc-endpoint.js';
import { NoArguments } from './arguments.js';
import type { PChainClock } from '../world/p-chain-clock.js';

/** Of every network but mainnet and fuji. */
const EPOCH_SECONDS = 30;
const FIRST_EPOCH_SECONDS = 1_607_144_400;

/** `proposervm.*`: epochs by the clock, each with today's proposed height. A real one keeps the height it began with. */
export function makeProposerVmService(clock: PChainClock): RpcService {
  const currentEpoch = () => {
    const number = Math.floor((clock.timestampSeconds - FIRST_EPOCH_SECONDS) / EPOCH_SECONDS) + 1;
    return {
      number: String(number),
      startTime: String(FIRST_EPOCH_SECONDS + (number - 1) * EPOCH_SECONDS),
      pChainHeight: String(clock.proposedHeight),
    };
  };
  return {
    name: 'proposervm',
    methods: new Map([
      ['getProposedHeight', method(NoArguments, () => ({ height: String(clock.proposedHeight) }))],
      ['getCurrentEpoch', method(NoArguments, currentEpoch)],
    ]),
    missing: new Set(),
  };
}
