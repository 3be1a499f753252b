import type { Progress } from '../../../sandbox/local/processes/progress.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { makeAccounts, toLowerCase } from '../c-chain/accounts.js';
import { recordEvmChain } from '../c-chain/evm-recorder.js';
import { archiveFlag } from '../c-chain/network.js';
import { mintNfts } from '../c-chain/nft-steps.js';
import { describeCollections, type EvmCast, runCChainScenario } from '../c-chain/scenario.js';
import type { LocalNetwork, LocalNetworkOptions } from '../local-network.js';
import { makeScenario } from '../scenario/context.js';
import { toText } from '../scenario/wallet.js';
import type { EvmChain } from './evm-chain.js';
import { MessageStories } from './message-stories.js';
import { MESSENGER_ADDRESS } from './messenger.js';
import { signAs } from './sign-as-validators.js';
import { L1_FLAGS, startL1, type L1 } from './start-l1.js';

/** Of a network whose first node is an archive of the C-chain. */
export const TWO_CHAINS: Pick<LocalNetworkOptions, 'flags'> = { flags: [...L1_FLAGS, archiveFlag('C')] };

/** The C-chain's scenario, and then an L1 beside it: both of them with NFTs, and messages between them. */
export async function recordTwoChains(
  network: LocalNetwork,
  step: Progress,
): Promise<{ cChain: EvmRecording; l1: EvmRecording }> {
  const { url } = network;
  const cast = await runCChainScenario(url, step);
  const scenario = await makeScenario({ url, step });
  const l1 = await startL1({ network, scenario, hasSecondChain: true, progress: step });
  const { chain, cChain, secondChain: third, validators } = l1;
  if (third === undefined) throw new Error('the L1 has no second chain');
  step('NFTs on the L1');
  const { wallet, funded: from } = chain;
  const nfts = await mintNfts({ wallet, from, owner: makeAccounts().alice.address });
  const stories = new MessageStories(signAs(validators.map(({ identity }) => identity)), step);
  await stories.happen({ one: chain, other: cChain, third });
  step('writing it all down');
  const recorded = [chain, cChain];
  const record = (each: EvmChain, nodeUrl: string, what: string, eachCast: EvmCast) =>
    recordEvmChain({
      url: nodeUrl,
      node: each.node,
      chain: toText(each.blockchainId),
      what,
      cast: { ...eachCast, messages: stories.recordedOn(each, recorded) },
    });
  const nodes = `a local network of ${network.nodes.length} nodes`;
  return {
    cChain: await record(cChain, url, `The C-chain of ${nodes}`, {
      ...cast,
      addresses: [...cast.addresses, MESSENGER],
    }),
    l1: await record(chain, urlOf(l1), `The chain of an L1 of three validators on ${nodes}`, {
      nfts,
      messages: [],
      atomic: [],
      addresses: [
        { address: toLowerCase(from.address), what: 'has all the money, sends and delivers messages' },
        MESSENGER,
        ...describeCollections(nfts),
      ],
    }),
  };
}

const MESSENGER = { address: MESSENGER_ADDRESS, what: 'messenger' };

function urlOf({ nodes: [first] }: L1): string {
  if (first === undefined) throw new RangeError('an L1 has at least one node');
  return first.url;
}
