// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// A message of another chain, as the precompile of every EVM chain of the network hands it out.
struct WarpMessage {
    bytes32 sourceChainID;
    address originSenderAddress;
    bytes payload;
}

interface IWarpMessenger {
    function sendWarpMessage(bytes calldata payload) external returns (bytes32 messageID);

    /// Of the messages in the transaction's access list, counted from zero; those that do not verify are not valid.
    function getVerifiedWarpMessage(uint32 index) external view returns (WarpMessage memory message, bool valid);

    function getBlockchainID() external view returns (bytes32 blockchainID);
}

IWarpMessenger constant WARP_MESSENGER = IWarpMessenger(0x0200000000000000000000000000000000000005);
