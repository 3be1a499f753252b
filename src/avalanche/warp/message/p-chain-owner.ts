import { SHORT_ID_LENGTH } from '../../ids/short-id.js';
import { fixedBytes, list, struct, uint32, type ValueOf } from '../../platformvm/codec/field.js';

/** Who may spend a validator's balance or disable it (avalanchego v1.14.2 warp/message/register_l1_validator.go). */
export const pChainOwner = struct({ threshold: uint32, addresses: list(fixedBytes(SHORT_ID_LENGTH)) });

export type PChainOwner = ValueOf<typeof pChainOwner>;
