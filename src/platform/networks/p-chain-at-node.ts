import { EMPTY_ID, idToString } from '../../avalanche/ids/id.js';
import { parseTransaction } from '../../avalanche/platformvm/codec/transaction.js';
import type { AvmClient } from '../../avalanche/rpc/avm-client.js';
import type { PlatformClient } from '../../avalanche/rpc/platform-client.js';
import { isNotFound } from '../../avalanche/rpc/platform-rejections.js';
import { isAskedTooOften } from '../../avalanche/rpc/refusals.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { ValidatorSetEntry } from '../../avalanche/warp/canonical-validator-set.js';
import { NetworkError } from './network.error.js';
import type { ListedL1Validator, PChainView, SeenTransaction } from './p-chain-view.js';

const NO_CONVERSION = idToString(EMPTY_ID);

/** The P-chain as a configured node describes it. Rejects with RpcError, and with PlatformVmError for a transaction that cannot be read. */
export class PChainAtNode implements PChainView {
  constructor(
    private readonly platform: PlatformClient,
    private readonly avm: AvmClient,
  ) {}

  getHeight(): Promise<bigint> {
    return this.platform.getHeight();
  }

  getProposedHeight(): Promise<bigint> {
    return this.platform.getProposedHeight();
  }

  async getValidatorsAt(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]> {
    try {
      return await this.platform.getValidatorsAt({ subnetId, height });
    } catch (error) {
      if (!isRejection(error)) throw error;
      const tip = await this.platform.getHeight();
      if (height > tip) throw new NetworkError('HEIGHT_IN_FUTURE', `${height} is above the network's ${tip}`);
      return this.getMergedValidatorsAt(subnetId, height).catch((second: unknown) => {
        if (!isRejection(second)) throw second;
        throw new NetworkError(
          'HEIGHT_NOT_AVAILABLE',
          `the node has no validators of ${subnetId} at ${height}: ${error.rpcMessage ?? ''}`,
          { cause: error },
        );
      });
    }
  }

  async findSubnet(subnetId: string): Promise<{ conversionId: string | undefined } | undefined> {
    const subnet = await unlessRejected(this.platform.getSubnet({ subnetId }));
    if (subnet === undefined) return undefined;
    return { conversionId: subnet.conversionId === NO_CONVERSION ? undefined : subnet.conversionId };
  }

  /** Those that have validators. */
  async listSubnetIds(): Promise<string[]> {
    const height = await this.platform.getHeight();
    return [...(await this.platform.getAllValidatorsAt({ height })).keys()];
  }

  findSubnetOf(blockchainId: string): Promise<string | undefined> {
    return unlessRejected(this.platform.validatedBy({ blockchainId }));
  }

  async findGenesis(blockchainId: string): Promise<Uint8Array | undefined> {
    const bytes = await unlessRejected(this.platform.getTx({ txId: blockchainId }));
    const unsigned = bytes && parseTransaction(bytes).unsigned;
    return unsigned?.type === 'CreateChain' ? unsigned.genesisData : undefined;
  }

  async findL1Validator(validationId: string): Promise<{ minNonce: bigint } | undefined> {
    try {
      return await this.platform.getL1Validator({ validationId });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async listL1Validators(subnetId: string): Promise<ListedL1Validator[]> {
    const validators = await this.platform.getCurrentValidators({ subnetId });
    return validators.filter((validator) => validator.kind === 'l1');
  }

  getValidatorPrice(): Promise<bigint> {
    return this.platform.getValidatorPrice();
  }

  async findTransaction(txId: string): Promise<SeenTransaction | undefined> {
    const { status, reason } = await this.platform.getTxStatus({ txId });
    switch (status) {
      case 'Committed': {
        const { unsigned } = parseTransaction(await this.platform.getTx({ txId }));
        return { status, type: unsigned.type, unsigned };
      }
      case 'Dropped':
        return { status, reason };
      case 'Aborted':
      case 'Processing':
        return { status };
      case 'Unknown':
        return undefined;
    }
  }

  async isOnXChain(txId: string): Promise<boolean | undefined> {
    try {
      return await this.avm.hasTransaction({ txId });
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  /** For nodes that keep `getValidatorsAt` off, as public ones did for long: the sets of all subnets, already merged by key. */
  private async getMergedValidatorsAt(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]> {
    const set = (await this.platform.getAllValidatorsAt({ height })).get(subnetId);
    if (set === undefined) return [];
    const withKey = set.validators.flatMap(({ nodeIds, publicKey, weight }) =>
      nodeIds.map((nodeId, index) => ({ nodeId, publicKey, weight: index === 0 ? weight : 0n })),
    );
    const keylessWeight = withKey.reduce((rest, { weight }) => rest - weight, set.totalWeight);
    return keylessWeight > 0n
      ? [...withKey, { nodeId: '', publicKey: null, weight: keylessWeight }]
      : withKey;
  }
}

/** Undefined for what the node does not know. */
async function unlessRejected<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isRejection(error)) return undefined;
    throw error;
  }
}

/** Of the question itself: who is asked too often refuses whatever it is. */
function isRejection(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === 'NODE_REJECTED' && !isAskedTooOften(error);
}
