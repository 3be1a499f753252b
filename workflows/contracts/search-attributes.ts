import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * Search attributes by which operators filter the Web UI. Registered at boot, before any worker polls: a workflow that sets
 * one that the namespace does not know keeps failing its tasks forever.
 */
export const NDS_NETWORK = defineSearchAttributeKey('NdsNetwork', SearchAttributeType.KEYWORD);
export const NDS_SOURCE_BLOCKCHAIN_ID = defineSearchAttributeKey(
  'NdsSourceBlockchainId',
  SearchAttributeType.KEYWORD,
);
export const NDS_SIGNING_SUBNET_ID = defineSearchAttributeKey(
  'NdsSigningSubnetId',
  SearchAttributeType.KEYWORD,
);
export const NDS_QUORUM_PERCENTAGE = defineSearchAttributeKey('NdsQuorumPercentage', SearchAttributeType.INT);
export const NDS_SIGNED_PERCENTAGE = defineSearchAttributeKey(
  'NdsSignedPercentage',
  SearchAttributeType.DOUBLE,
);
/** The state of an index: running, waiting, paused or stopped. */
export const NDS_INDEX_STATE = defineSearchAttributeKey('NdsIndexState', SearchAttributeType.KEYWORD);
/** The status of an operation, as its record shows it. */
export const NDS_OPERATION_STATUS = defineSearchAttributeKey(
  'NdsOperationStatus',
  SearchAttributeType.KEYWORD,
);

/** Name to type, in the words of the Temporal CLI. */
export const SEARCH_ATTRIBUTES: Readonly<Record<string, 'Keyword' | 'Int' | 'Double'>> = {
  [NDS_NETWORK.name]: 'Keyword',
  [NDS_SOURCE_BLOCKCHAIN_ID.name]: 'Keyword',
  [NDS_SIGNING_SUBNET_ID.name]: 'Keyword',
  [NDS_QUORUM_PERCENTAGE.name]: 'Int',
  [NDS_SIGNED_PERCENTAGE.name]: 'Double',
  [NDS_INDEX_STATE.name]: 'Keyword',
  [NDS_OPERATION_STATUS.name]: 'Keyword',
};
