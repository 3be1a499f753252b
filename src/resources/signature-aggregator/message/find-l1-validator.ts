import { idToString } from '../../../avalanche/ids/id.js';
import type { L1ValidatorAtTip } from '../../../avalanche/rpc/platform-schemas.js';
import { isNotFound } from '../../../avalanche/rpc/platform-rejections.js';
import type { Network } from '../../../platform/networks/network.js';

/** The current state of the validation on the P-chain; undefined once it is over, and before it begins. */
export async function findL1Validator(
  network: Network,
  validationId: Uint8Array,
): Promise<L1ValidatorAtTip | undefined> {
  try {
    return await network.platform.getL1Validator({ validationId: idToString(validationId) });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
