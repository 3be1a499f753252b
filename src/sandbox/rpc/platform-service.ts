import { z } from 'zod';
import { toHex } from '../../avalanche/ids/hex.js';
import { hrpOfNetwork, packAddress } from '../../avalanche/ids/address.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { packRpcHex } from '../../avalanche/ids/rpc-hex.js';
import { deriveBytes } from '../derived-keys.js';
import type { Transactions } from '../world/transactions.js';
import type { World } from '../world/world.js';
import {
  EncodingArgument,
  HeightArgument,
  IdArgument,
  NoArguments,
  NodeIdsArgument,
  TextArgument,
  Uint64Argument,
} from './arguments.js';
import { lookUp, VM_IDS } from './info-service.js';
import { method, RpcFault, type RpcMethods, type RpcService } from './json-rpc-endpoint.js';
import { chainTime, feeMethods, type MethodEntries, stakeMethods, SubnetArguments } from './stake-methods.js';
import type { ValidatorListings } from './validator-listings.js';

/** What a real P-chain answers to and the sandbox does not: it has no blocks and no UTXOs. */
const MISSING = new Set([
  'getBalance',
  'getBlock',
  'getBlockByHeight',
  'getRewardUTXOs',
  'getStake',
  'getUTXOs',
  'issueTx',
]);

const TxArguments = z.object({ txID: IdArgument, encoding: EncodingArgument });

export interface PlatformServiceParts {
  readonly world: World;
  readonly transactions: Transactions;
  readonly listings: ValidatorListings;
}

/** `platform.*` with the shapes and words of avalanchego v1.14.2 (vms/platformvm/service.go). */
export function makePlatformService(parts: PlatformServiceParts): RpcService {
  const methods: RpcMethods = new Map([
    ...heightMethods(parts),
    ...validatorMethods(parts),
    ...subnetMethods(parts),
    ...transactionMethods(parts),
    ...stakeMethods(parts.world),
    ...feeMethods(parts.world),
  ]);
  return { name: 'platform', methods, missing: MISSING };
}

function heightMethods({ world: { clock } }: PlatformServiceParts): MethodEntries {
  return [
    ['getHeight', method(NoArguments, () => ({ height: String(clock.height) }))],
    ['getProposedHeight', method(NoArguments, () => ({ height: String(clock.proposedHeight) }))],
    ['getTimestamp', method(NoArguments, () => ({ timestamp: chainTime(clock.timestampSeconds) }))],
  ];
}

function validatorMethods({ world, listings }: PlatformServiceParts): MethodEntries {
  const heightOf = (height: bigint | 'proposed') =>
    height === 'proposed' ? world.clock.proposedHeight : height;
  return [
    [
      'getValidatorsAt',
      method(z.object({ height: HeightArgument, subnetID: IdArgument }), ({ height, subnetID }) => {
        const queried = heightOf(height);
        const what = `failed to get validator set at ${queried}: failed to fetch validator set at unfinalized height`;
        assertReached(world, queried, `${what} with SubnetID = ${subnetID}`);
        return listings.validatorsAt(subnetID, queried);
      }),
    ],
    [
      'getAllValidatorsAt',
      method(z.object({ height: HeightArgument }), ({ height }) => {
        const queried = heightOf(height);
        const what = `failed to get validator sets at ${queried}: failed to fetch validator set at unfinalized height`;
        assertReached(world, queried, what);
        return { validatorSets: listings.canonicalSetsAt(queried) };
      }),
    ],
    [
      'getCurrentValidators',
      method(z.object({ subnetID: IdArgument, nodeIDs: NodeIdsArgument }), ({ subnetID, nodeIDs }) => ({
        validators: listings.currentValidators(subnetID, nodeIDs),
      })),
    ],
    [
      'getL1Validator',
      method(z.object({ validationID: IdArgument }), ({ validationID }) => {
        const found = world.validation(idFromString(validationID));
        if (found === undefined)
          throw new RpcFault(`fetching L1 validator ${JSON.stringify(validationID)} failed: not found`);
        return {
          ...listings.l1Validator(found),
          subnetID: world.subnetId,
          height: String(world.clock.height),
        };
      }),
    ],
    [
      'sampleValidators',
      method(z.object({ size: Uint64Argument, subnetID: IdArgument }), ({ size, subnetID }) => ({
        validators: world
          .validatorsAt(subnetID, world.clock.height)
          .slice(0, Number(size))
          .map(({ nodeId }) => nodeId),
      })),
    ],
  ];
}

function assertReached({ clock: { height } }: World, queried: bigint, what: string): void {
  if (queried <= height) return;
  throw new RpcFault(`${what}: current P-chain height (${height}) < requested P-Chain height (${queried})`);
}

function subnetMethods({ world }: PlatformServiceParts): MethodEntries {
  const controlKeys = [localAddress(world)];
  return [
    ['getSubnet', method(SubnetArguments, ({ subnetID }) => describeSubnet(world, subnetID, controlKeys))],
    [
      'getSubnets',
      method(z.object({ ids: z.array(IdArgument).nullish() }), ({ ids }) => {
        const subnets = [
          { id: world.subnetId, controlKeys, threshold: '1' },
          { id: PRIMARY_NETWORK_ID, controlKeys: [], threshold: '0' },
        ];
        return { subnets: ids?.length ? subnets.filter(({ id }) => ids.includes(id)) : subnets };
      }),
    ],
    ['getBlockchains', method(NoArguments, () => ({ blockchains: blockchainsOf(world) }))],
    [
      'validatedBy',
      method(z.object({ blockchainID: IdArgument }), ({ blockchainID }) => {
        const subnetID = world.subnetOf(blockchainID);
        if (subnetID !== undefined) return { subnetID };
        throw new RpcFault(`problem retrieving blockchain ${JSON.stringify(blockchainID)}: not found`);
      }),
    ],
    [
      'validates',
      method(SubnetArguments, ({ subnetID }) => {
        const blockchainIDs = blockchainsOf(world).flatMap((chain) =>
          chain.subnetID === subnetID ? [chain.id] : [],
        );
        if (blockchainIDs.length > 0) return { blockchainIDs };
        throw new RpcFault(`problem retrieving subnet ${JSON.stringify(subnetID)}: not found`);
      }),
    ],
    [
      'getBlockchainStatus',
      method(z.object({ blockchainID: TextArgument }), (args) => blockchainStatus(world, args.blockchainID)),
    ],
  ];
}

function describeSubnet(world: World, subnetId: string, controlKeys: readonly string[]) {
  if (subnetId === PRIMARY_NETWORK_ID) throw new RpcFault("the primary network isn't a subnet");
  if (subnetId !== world.subnetId) throw new RpcFault('not found');
  const { l1 } = world;
  return {
    isPermissioned: false,
    controlKeys,
    threshold: '1',
    locktime: '0',
    subnetTransformationTxID: PRIMARY_NETWORK_ID,
    conversionID: idToString(l1.conversionId),
    managerChainID: idToString(l1.blockchainId),
    managerAddress: `0x${toHex(l1.managerAddress)}`,
  };
}

function blockchainsOf(world: World) {
  const subnetID = PRIMARY_NETWORK_ID;
  return [
    {
      id: idToString(world.l1.blockchainId),
      name: 'sandbox',
      subnetID: world.subnetId,
      vmID: VM_IDS.subnetEvm,
    },
    { id: idToString(world.cChainId), name: 'C-Chain', subnetID, vmID: VM_IDS.evm },
    { id: idToString(world.xChainId), name: 'X-Chain', subnetID, vmID: VM_IDS.avm },
  ];
}

/** The node of the sandbox validates nothing: it syncs the chains of the primary network and no others. */
function blockchainStatus(world: World, chain: string) {
  if (chain === '') throw new RpcFault("argument 'blockchainID' not given");
  if (chain === idToString(world.l1.blockchainId)) return { status: 'Created' };
  try {
    lookUp(world, chain);
    return { status: 'Syncing' };
  } catch {
    const isId = IdArgument.safeParse(chain).success;
    if (isId) return { status: 'Unknown' };
    throw new RpcFault(`problem parsing blockchainID ${JSON.stringify(chain)}: not an id`);
  }
}

function transactionMethods({ transactions }: PlatformServiceParts): MethodEntries {
  return [
    [
      'getTx',
      method(TxArguments, ({ txID, encoding }) => {
        const found = transactions.byId(txID);
        if (found === undefined) throw new RpcFault("couldn't get tx: not found");
        return { tx: encode(found.bytes, encoding), encoding };
      }),
    ],
    [
      'getTxStatus',
      method(TxArguments, ({ txID }) => ({
        status: transactions.byId(txID) === undefined ? 'Unknown' : 'Committed',
      })),
    ],
  ];
}

function encode(bytes: Uint8Array, encoding: z.infer<typeof EncodingArgument>): string {
  switch (encoding) {
    case 'hex':
    case 'hexc':
      return packRpcHex(bytes);
    case 'hexnc':
      return `0x${toHex(bytes)}`;
    case 'json':
      throw new RpcFault('the sandbox does not simulate the encoding "json"');
  }
}

function localAddress(world: World): string {
  return packAddress({
    chainAlias: 'P',
    hrp: hrpOfNetwork(world.networkId),
    bytes: deriveBytes('control key').slice(0, 20),
  });
}
