import { NoArguments } from './arguments.js';
import { method, type RpcService } from './json-rpc-endpoint.js';
import type { World } from '../world/world.js';

/** `proposervm.*` of one blockchain, with the shapes of avalanchego v1.15.0 (vms/proposervm/service.go). */
export function makeProposerVmService({ clock, epochs }: World): RpcService {
  return {
    name: 'proposervm',
    methods: new Map([
      ['getProposedHeight', method(NoArguments, () => ({ height: String(clock.proposedHeight) }))],
      [
        'getCurrentEpoch',
        method(NoArguments, () => {
          const { number, startTimeSeconds, pChainHeight } = epochs.current;
          return {
            number: String(number),
            startTime: String(startTimeSeconds),
            pChainHeight: String(pChainHeight),
          };
        }),
      ],
    ]),
    missing: new Set(),
  };
}
