import { z } from 'zod';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { encodeBytes } from '../p-chain/misconduct.js';
import type { Answer, RecordedPChain } from '../p-chain/recorded-p-chain.js';
import type { ServedPChain } from '../p-chain/served-p-chain.js';
import type { Transactions } from '../world/transactions.js';
import type { World } from '../world/world.js';
import {
  EncodingArgument,
  HeightArgument,
  IdArgument,
  NoArguments,
  NodeIdsArgument,
  Uint64Argument,
} from './arguments.js';
import { blockMethods } from './block-methods.js';
import { bytesEncoding } from './encoding.js';
import {
  method,
  type MethodEntries,
  RpcFault,
  type RpcMethods,
  type RpcService,
} from './json-rpc-endpoint.js';
import { chainTime, feeMethods, stakeMethods } from './stake-methods.js';
import { subnetMethods } from './subnet-methods.js';
import { utxoMethods } from './utxo-methods.js';
import type { ValidatorListings } from './validator-listings.js';

/** Methods of a real P-chain that the sandbox lacks, and those that it answers only from a recording. */
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
  /** Null: a chain of heights without blocks. */
  readonly pChain: ServedPChain | null;
  readonly transactions: Transactions;
  readonly listings: ValidatorListings;
}

/** `platform.*` with the shapes and words of avalanchego v1.14.2 (vms/platformvm/service.go). */
export function makePlatformService(parts: PlatformServiceParts): RpcService {
  const { world, pChain } = parts;
  const recorded = pChain?.recorded ?? null;
  const methods: RpcMethods = new Map([
    ...heightMethods(parts),
    ...validatorMethods(parts),
    ...subnetMethods(world, recorded),
    ...transactionMethods(parts),
    ...stakeMethods(world, recorded),
    ...feeMethods(world, recorded),
    ...(pChain === null ? [] : [...blockMethods(pChain), ...utxoMethods(world, pChain.recorded)]),
  ]);
  return { name: 'platform', methods, missing: MISSING };
}

function heightMethods({ world: { clock }, pChain }: PlatformServiceParts): MethodEntries {
  const time = (): number => pChain?.recorded.time ?? clock.timestampSeconds;
  return [
    ['getHeight', method(NoArguments, () => ({ height: String(pChain?.height ?? clock.height) }))],
    ['getProposedHeight', method(NoArguments, () => ({ height: String(clock.proposedHeight) }))],
    ['getTimestamp', method(NoArguments, () => ({ timestamp: chainTime(time()) }))],
  ];
}

function validatorMethods(parts: PlatformServiceParts): MethodEntries {
  const { world, pChain, listings } = parts;
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
        validators: currentValidators(parts, subnetID, nodeIDs),
      })),
    ],
    [
      'getL1Validator',
      method(z.object({ validationID: IdArgument }), ({ validationID }) => {
        const height = String(world.clock.height);
        const found = world.validation(idFromString(validationID));
        if (found !== undefined) return { ...listings.l1Validator(found), subnetID: world.subnetId, height };
        const answer = pChain?.recorded.answers.l1Validators[validationID];
        if (answer) return { ...answer, height };
        throw new RpcFault(`fetching L1 validator ${JSON.stringify(validationID)} failed: not found`);
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

/**
 * Of a subnet that was recorded those of the recording, as the blocks have no others; simulated ones beside them when they are asked for by
 * name, as getValidatorsAt names them.
 */
function currentValidators(
  { pChain, listings }: PlatformServiceParts,
  subnetId: string,
  nodeIds: readonly string[],
): readonly object[] {
  const recorded = recordedValidators(pChain?.recorded, subnetId, nodeIds);
  if (recorded !== undefined && nodeIds.length === 0) return recorded;
  return [...(recorded ?? []), ...listings.currentValidators(subnetId, nodeIds)];
}

/** Undefined for subnets that were not recorded. Their delegators stand in the answer only when one node was asked for. */
function recordedValidators(
  recorded: RecordedPChain | undefined,
  subnetId: string,
  nodeIds: readonly string[],
): Answer[] | undefined {
  const validators = recorded?.answers.validators[subnetId];
  const wanted = new Set(nodeIds);
  return validators
    ?.filter(({ nodeID }) => wanted.size === 0 || wanted.has(String(nodeID)))
    .map(({ delegators, ...rest }) =>
      delegators !== undefined && wanted.size === 1 ? { ...rest, delegators } : rest,
    );
}

function assertReached({ clock: { height } }: World, queried: bigint, what: string): void {
  if (queried <= height) return;
  throw new RpcFault(`${what}: current P-chain height (${height}) < requested P-Chain height (${queried})`);
}

function transactionMethods({ transactions, pChain }: PlatformServiceParts): MethodEntries {
  const find = (txId: string): { bytes: Uint8Array; status: string } | undefined => {
    const own = transactions.byId(txId);
    return own === undefined ? pChain?.recorded.transaction(txId) : { bytes: own.bytes, status: 'Committed' };
  };
  return [
    [
      'getTx',
      method(TxArguments, ({ txID, encoding }) => {
        const found = find(txID);
        if (found === undefined) throw new RpcFault("couldn't get tx: not found");
        return { tx: encodeBytes(found.bytes, bytesEncoding(encoding)), encoding };
      }),
    ],
    ['getTxStatus', method(TxArguments, ({ txID }) => ({ status: find(txID)?.status ?? 'Unknown' }))],
  ];
}
