import type { BlsSecretKey } from '../../avalanche/bls/bls.js';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import type { Progress } from '../../embedded/binaries.js';
import type { PChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import type { GuestIdentity, LocalNetwork } from '../local-network.js';
import { addressesOf, makeScenario, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { PChainRecorder } from './p-chain-recorder.js';

/** Lets a scenario happen on a network and records the P-chain meanwhile, from block 0 to the end. */
export async function recordScenario(given: {
  network: LocalNetwork;
  genesisSigners: readonly BlsSecretKey[];
  guests: readonly Identity[];
  description: string;
  progress: Progress;
  run: (scenario: Scenario) => Promise<void>;
}): Promise<PChainRecording> {
  const { description, progress, run, ...parts } = given;
  const steps: { recorder?: PChainRecorder } = {};
  const step = (what: string): void => {
    progress(what);
    if (steps.recorder !== undefined) steps.recorder.step = what;
  };
  const scenario = await makeScenario({ ...parts, step });
  const recorder = new PChainRecorder(scenario.node, addressesOf(scenario));
  steps.recorder = recorder;
  const ended = new AbortController();
  const following = recorder.follow(ended.signal);
  try {
    await Promise.race([run(scenario), following]);
  } finally {
    ended.abort();
    await following.catch(() => undefined); // whatever it was is thrown above
  }
  const avaxAssetId = idToString(fromHex(scenario.avaxAssetId));
  return recorder.finish({ description, genesis: null, avaxAssetId });
}

/** What a network is started with so that the identity has a node. */
export function toGuest({ tls, blsKey }: Identity): GuestIdentity {
  return { certPem: tls.certPem, keyPem: tls.keyPem, blsSecretKey: blsKey.toBytes() };
}
