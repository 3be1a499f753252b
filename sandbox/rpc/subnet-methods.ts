import { z } from 'zod';
import { hrpOfNetwork, packAddress } from '../../src/avalanche/ids/address.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { deriveBytes } from '../derived-keys.js';
import type { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import type { World } from '../world/world.js';
import { IdArgument, NoArguments, SubnetArguments, TextArgument } from './arguments.js';
import { lookUp, VM_IDS } from './info-service.js';
import { method, type MethodEntries, RpcFault } from './json-rpc-endpoint.js';

/** Subnets and blockchains: the sandbox's L1 beside whatever was recorded. */
export function subnetMethods(world: World, recorded: RecordedPChain | null): MethodEntries {
  return [
    ['getSubnet', method(SubnetArguments, ({ subnetID }) => describeSubnet(world, recorded, subnetID))],
    [
      'getSubnets',
      method(z.object({ ids: z.array(IdArgument).nullish() }), ({ ids }) => {
        const subnets = subnetsOf(world, recorded);
        return { subnets: ids?.length ? subnets.filter(({ id }) => ids.includes(String(id))) : subnets };
      }),
    ],
    ['getBlockchains', method(NoArguments, () => ({ blockchains: blockchainsOf(world, recorded) }))],
    [
      'validatedBy',
      method(z.object({ blockchainID: IdArgument }), ({ blockchainID }) => {
        const subnetID = world.subnetOf(blockchainID) ?? recorded?.subnetOf(blockchainID);
        if (subnetID !== undefined) return { subnetID };
        throw new RpcFault(`problem retrieving blockchain ${JSON.stringify(blockchainID)}: not found`);
      }),
    ],
    [
      'validates',
      method(SubnetArguments, ({ subnetID }) => {
        const blockchainIDs = blockchainsOf(world, recorded).flatMap((chain) =>
          chain.subnetID === subnetID ? [chain.id] : [],
        );
        if (blockchainIDs.length > 0 || recorded?.hasSubnet(subnetID)) return { blockchainIDs };
        throw new RpcFault(`problem retrieving subnet ${JSON.stringify(subnetID)}: not found`);
      }),
    ],
    [
      'getBlockchainStatus',
      method(z.object({ blockchainID: TextArgument }), ({ blockchainID }) =>
        blockchainStatus(world, recorded, blockchainID),
      ),
    ],
  ];
}

function describeSubnet(world: World, recorded: RecordedPChain | null, subnetId: string): unknown {
  if (subnetId === PRIMARY_NETWORK_ID) throw new RpcFault("the primary network isn't a subnet");
  if (subnetId !== world.subnetId) {
    const answer = recorded?.answers.subnets[subnetId];
    if (answer === undefined) throw new RpcFault('not found');
    return answer;
  }
  const { l1 } = world;
  return {
    isPermissioned: false,
    controlKeys: controlKeys(world),
    threshold: '1',
    locktime: '0',
    subnetTransformationTxID: PRIMARY_NETWORK_ID,
    conversionID: idToString(l1.conversionId),
    managerChainID: idToString(l1.blockchainId),
    managerAddress: `0x${toHex(l1.managerAddress)}`,
  };
}

function subnetsOf(
  world: World,
  recorded: RecordedPChain | null,
): readonly Readonly<Record<string, unknown>>[] {
  const own = { id: world.subnetId, controlKeys: controlKeys(world), threshold: '1' };
  const primaryNetwork = { id: PRIMARY_NETWORK_ID, controlKeys: [], threshold: '0' };
  return [own, ...(recorded?.subnets ?? [primaryNetwork])];
}

function blockchainsOf(world: World, recorded: RecordedPChain | null) {
  const subnetID = PRIMARY_NETWORK_ID;
  const own = {
    id: idToString(world.l1.blockchainId),
    name: 'sandbox',
    subnetID: world.subnetId,
    vmID: VM_IDS.subnetEvm,
  };
  const ofPrimaryNetwork = [
    { id: idToString(world.cChainId), name: 'C-Chain', subnetID, vmID: VM_IDS.evm },
    { id: idToString(world.xChainId), name: 'X-Chain', subnetID, vmID: VM_IDS.avm },
  ];
  return [own, ...(recorded?.blockchains ?? ofPrimaryNetwork)];
}

/** The node of the sandbox validates nothing: it syncs the chains of the primary network and no others. */
function blockchainStatus(world: World, recorded: RecordedPChain | null, chain: string) {
  if (chain === '') throw new RpcFault("argument 'blockchainID' not given");
  try {
    lookUp(world, chain);
    return { status: 'Syncing' };
  } catch {
    const isId = IdArgument.safeParse(chain).success;
    if (!isId) throw new RpcFault(`problem parsing blockchainID ${JSON.stringify(chain)}: not an id`);
    const exists = (world.subnetOf(chain) ?? recorded?.subnetOf(chain)) !== undefined;
    return { status: exists ? 'Created' : 'Unknown' };
  }
}

function controlKeys(world: World): string[] {
  const hrp = hrpOfNetwork(world.networkId);
  return [packAddress({ chainAlias: 'P', hrp, bytes: deriveBytes('control key').slice(0, 20) })];
}
