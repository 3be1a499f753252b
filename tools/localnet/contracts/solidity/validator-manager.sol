// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {WarpMessage, WARP_MESSENGER} from "./warp.sol";

/// Exchanges messages with the P-chain for an L1: sends those that anybody asks for, and receives the P-chain's.
contract ValidatorManager {
    event Confirmed(bytes payload);

    function order(bytes calldata payload) external returns (bytes32 messageID) {
        return WARP_MESSENGER.sendWarpMessage(payload);
    }

    function confirm(uint32 messageIndex) external {
        (WarpMessage memory message, bool valid) = WARP_MESSENGER.getVerifiedWarpMessage(messageIndex);
        require(valid, "not verified");
        require(message.sourceChainID == 0 && message.originSenderAddress == address(0), "not the P-chain");
        emit Confirmed(message.payload);
    }
}
