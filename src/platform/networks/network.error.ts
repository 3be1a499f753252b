import { AvalancheError } from '../../avalanche/avalanche.error.js';

export type NetworkErrorCode =
  | 'NETWORK_NOT_CONFIGURED'
  /** Its node is of another network than the one that is configured. */
  | 'WRONG_NETWORK'
  | 'UNKNOWN_BLOCKCHAIN'
  | 'UNKNOWN_SUBNET'
  | 'HEIGHT_IN_FUTURE'
  | 'HEIGHT_NOT_AVAILABLE'
  /** Neither its index nor a node can be asked. */
  | 'P_CHAIN_NOT_KNOWN'
  /** Nodes that answer for one address disagree about the tip; in a moment they agree. */
  | 'PROPOSED_HEIGHT_NOT_AVAILABLE'
  /** No validator of the subnet at that height. */
  | 'EMPTY_VALIDATOR_SET';

/** A network cannot serve a request, as opposed to its node failing (RpcError). */
export class NetworkError extends AvalancheError<NetworkErrorCode> {}
