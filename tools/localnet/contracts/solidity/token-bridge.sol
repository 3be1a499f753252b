// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {
    ITeleporterReceiver,
    Messenger,
    TeleporterFeeInfo,
    TeleporterMessageInput
} from "./messenger.sol";
import {Erc20} from "./tokens.sol";

/// A token bridge with the payloads and events of Avalanche's interchain token transfer: a home that holds tokens, and remotes that make
/// them elsewhere. Written for this project from that layout; none of it is the original's. It guards nothing: anybody may send
/// anything through it.

enum TransferType {
    REGISTER_REMOTE,
    SINGLE_HOP_SEND,
    SINGLE_HOP_CALL,
    MULTI_HOP_SEND
}

struct TransferMessage {
    TransferType messageType;
    bytes payload;
}

struct SingleHopSend {
    address recipient;
    uint256 amount;
}

struct SingleHopCall {
    bytes32 sourceBlockchainID;
    address originTokenTransferrerAddress;
    address originSenderAddress;
    address recipientContract;
    uint256 amount;
    bytes recipientPayload;
    uint256 recipientGasLimit;
    address fallbackRecipient;
}

struct MultiHopSend {
    bytes32 destinationBlockchainID;
    address destinationTokenTransferrerAddress;
    address recipient;
    uint256 amount;
    uint256 secondaryFee;
    uint256 secondaryGasLimit;
    address multiHopFallback;
}

struct SendTokensInput {
    bytes32 destinationBlockchainID;
    address destinationTokenTransferrerAddress;
    address recipient;
    address primaryFeeTokenAddress;
    uint256 primaryFee;
    uint256 secondaryFee;
    uint256 requiredGasLimit;
    address multiHopFallback;
}

struct SendAndCallInput {
    bytes32 destinationBlockchainID;
    address destinationTokenTransferrerAddress;
    address recipientContract;
    bytes recipientPayload;
    uint256 requiredGasLimit;
    uint256 recipientGasLimit;
    address multiHopFallback;
    address fallbackRecipient;
    address primaryFeeTokenAddress;
    uint256 primaryFee;
    uint256 secondaryFee;
}

abstract contract TokenTransferrer is ITeleporterReceiver {
    event TokensSent(
        bytes32 indexed teleporterMessageID,
        address indexed sender,
        SendTokensInput input,
        uint256 amount
    );
    event TokensAndCallSent(
        bytes32 indexed teleporterMessageID,
        address indexed sender,
        SendAndCallInput input,
        uint256 amount
    );
    event TokensRouted(bytes32 indexed teleporterMessageID, SendTokensInput input, uint256 amount);
    event TokensWithdrawn(address indexed recipient, uint256 amount);
    event CallSucceeded(address indexed recipientContract, uint256 amount);
    event CallFailed(address indexed recipientContract, uint256 amount);

    Messenger internal immutable messenger;
    bool private isRefusing;

    constructor(Messenger messenger_) {
        messenger = messenger_;
    }

    /// Whether messages to this contract fail from now on.
    function setRefusing(bool refusing) external {
        isRefusing = refusing;
    }

    function send(SendTokensInput calldata input, uint256 amount) external {
        take(msg.sender, amount);
        emit TokensSent(begin(input, amount), msg.sender, input, amount);
    }

    function sendAndCall(SendAndCallInput calldata input, uint256 amount) external {
        take(msg.sender, amount);
        SingleHopCall memory call = SingleHopCall({
            sourceBlockchainID: messenger.blockchainID(),
            originTokenTransferrerAddress: address(this),
            originSenderAddress: msg.sender,
            recipientContract: input.recipientContract,
            amount: amount,
            recipientPayload: input.recipientPayload,
            recipientGasLimit: input.recipientGasLimit,
            fallbackRecipient: input.fallbackRecipient
        });
        bytes32 messageID = dispatch(
            input.destinationBlockchainID,
            input.destinationTokenTransferrerAddress,
            input.requiredGasLimit,
            TransferMessage(TransferType.SINGLE_HOP_CALL, abi.encode(call))
        );
        emit TokensAndCallSent(messageID, msg.sender, input, amount);
    }

    function receiveTeleporterMessage(bytes32, address, bytes calldata encoded) external {
        require(!isRefusing, "refused");
        TransferMessage memory message = abi.decode(encoded, (TransferMessage));
        if (message.messageType == TransferType.SINGLE_HOP_SEND) {
            SingleHopSend memory sent = abi.decode(message.payload, (SingleHopSend));
            withdraw(sent.recipient, sent.amount);
        } else if (message.messageType == TransferType.SINGLE_HOP_CALL) {
            callRecipient(abi.decode(message.payload, (SingleHopCall)));
        } else {
            route(abi.decode(message.payload, (MultiHopSend)));
        }
    }

    function begin(SendTokensInput calldata input, uint256 amount) internal virtual returns (bytes32);

    function route(MultiHopSend memory hop) internal virtual;

    function take(address from, uint256 amount) internal virtual;

    function give(address to, uint256 amount) internal virtual;

    function dispatch(
        bytes32 chain,
        address transferrer,
        uint256 gasLimit,
        TransferMessage memory message
    ) internal returns (bytes32) {
        return
            messenger.sendCrossChainMessage(
                TeleporterMessageInput({
                    destinationBlockchainID: chain,
                    destinationAddress: transferrer,
                    feeInfo: TeleporterFeeInfo(address(0), 0),
                    requiredGasLimit: gasLimit,
                    allowedRelayerAddresses: new address[](0),
                    message: abi.encode(message)
                })
            );
    }

    function withdraw(address recipient, uint256 amount) private {
        give(recipient, amount);
        emit TokensWithdrawn(recipient, amount);
    }

    /// Whoever refuses to be called leaves the tokens to somebody else.
    function callRecipient(SingleHopCall memory call) private {
        (bool success, ) = call.recipientContract.call{gas: call.recipientGasLimit}(call.recipientPayload);
        if (success) {
            give(call.recipientContract, call.amount);
            emit CallSucceeded(call.recipientContract, call.amount);
        } else {
            give(call.fallbackRecipient, call.amount);
            emit CallFailed(call.recipientContract, call.amount);
        }
    }
}

contract TokenHome is TokenTransferrer {
    Erc20 private immutable token;

    constructor(Messenger messenger_, Erc20 token_) TokenTransferrer(messenger_) {
        token = token_;
    }

    function begin(SendTokensInput calldata input, uint256 amount) internal override returns (bytes32) {
        return dispatchSend(input, amount);
    }

    function route(MultiHopSend memory hop) internal override {
        SendTokensInput memory input = SendTokensInput({
            destinationBlockchainID: hop.destinationBlockchainID,
            destinationTokenTransferrerAddress: hop.destinationTokenTransferrerAddress,
            recipient: hop.recipient,
            primaryFeeTokenAddress: address(0),
            primaryFee: hop.secondaryFee,
            secondaryFee: 0,
            requiredGasLimit: hop.secondaryGasLimit,
            multiHopFallback: address(0)
        });
        emit TokensRouted(dispatchSend(input, hop.amount), input, hop.amount);
    }

    function take(address from, uint256 amount) internal override {
        token.transferFrom(from, address(this), amount);
    }

    function give(address to, uint256 amount) internal override {
        token.transfer(to, amount);
    }

    function dispatchSend(SendTokensInput memory input, uint256 amount) private returns (bytes32) {
        return
            dispatch(
                input.destinationBlockchainID,
                input.destinationTokenTransferrerAddress,
                input.requiredGasLimit,
                TransferMessage(TransferType.SINGLE_HOP_SEND, abi.encode(SingleHopSend(input.recipient, amount)))
            );
    }
}

/// Sends everything to its home: what is for another remote goes on from there.
contract TokenRemote is TokenTransferrer, Erc20 {
    bytes32 private immutable homeBlockchainID;
    address private immutable home;

    constructor(
        Messenger messenger_,
        bytes32 homeBlockchainID_,
        address home_,
        string memory symbol_
    ) TokenTransferrer(messenger_) Erc20("Bridged", symbol_, 18) {
        homeBlockchainID = homeBlockchainID_;
        home = home_;
    }

    function begin(SendTokensInput calldata input, uint256 amount) internal override returns (bytes32) {
        return dispatch(homeBlockchainID, home, input.requiredGasLimit, messageFor(input, amount));
    }

    function messageFor(
        SendTokensInput calldata input,
        uint256 amount
    ) private view returns (TransferMessage memory) {
        if (
            input.destinationBlockchainID == homeBlockchainID &&
            input.destinationTokenTransferrerAddress == home
        ) {
            return
                TransferMessage(TransferType.SINGLE_HOP_SEND, abi.encode(SingleHopSend(input.recipient, amount)));
        }
        MultiHopSend memory hop = MultiHopSend({
            destinationBlockchainID: input.destinationBlockchainID,
            destinationTokenTransferrerAddress: input.destinationTokenTransferrerAddress,
            recipient: input.recipient,
            amount: amount,
            secondaryFee: input.secondaryFee,
            secondaryGasLimit: input.requiredGasLimit,
            multiHopFallback: input.multiHopFallback
        });
        return TransferMessage(TransferType.MULTI_HOP_SEND, abi.encode(hop));
    }

    function route(MultiHopSend memory) internal pure override {
        revert("not a home");
    }

    function take(address from, uint256 amount) internal override {
        this.transferFrom(from, address(0), amount);
    }

    function give(address to, uint256 amount) internal override {
        this.mint(to, amount);
    }
}
