import { expect } from '@jest/globals';
import type { Hash } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../../src/avalanche/warp/canonical-validator-set.js';
import type { InterchainMessageDetails } from '../../../src/resources/interchain-messages/dto/message-details.response.js';
import type { TestService } from '../harness/service.js';
import { verifySignedMessage } from './verify-signed-message.js';

/** Undefined while it is not indexed. */
export async function findMessage(
  service: Pick<TestService, 'request'>,
  messageId: Hash,
): Promise<InterchainMessageDetails | undefined> {
  const { status, body } = await service.request(`/v1/icm/messages/${messageId}`);
  if (status === 404) return undefined;
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as InterchainMessageDetails;
}

/** As the receiving chain does. */
export async function verifyDeliverable(
  { signedMessage, delivery }: Partial<InterchainMessageDetails>,
  { platform, networkId }: { platform: PlatformClient; networkId: number },
) {
  const height = BigInt(delivery?.pChainHeight ?? 0);
  const subnetId = delivery?.signingSubnetId ?? '';
  const validatorSet = makeCanonicalValidatorSet(await platform.getValidatorsAt({ subnetId, height }));
  const { message } = verifySignedMessage(
    { signedMessage },
    { networkId, validatorSet, quorumPercentage: 67 },
  );
  return { height, message };
}
