// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {WarpMessage, WARP_MESSENGER} from "./warp.sol";

/// Messages between the contracts of two chains, with the functions and events of the network's interchain messenger.
/// Written for this project from that contract's ABI and what it does to be seen from outside; none of it is the original's.

struct TeleporterMessageReceipt {
    uint256 receivedMessageNonce;
    address relayerRewardAddress;
}

struct TeleporterFeeInfo {
    address feeTokenAddress;
    uint256 amount;
}

struct TeleporterMessageInput {
    bytes32 destinationBlockchainID;
    address destinationAddress;
    TeleporterFeeInfo feeInfo;
    uint256 requiredGasLimit;
    address[] allowedRelayerAddresses;
    bytes message;
}

struct TeleporterMessage {
    uint256 messageNonce;
    address originSenderAddress;
    bytes32 destinationBlockchainID;
    address destinationAddress;
    uint256 requiredGasLimit;
    address[] allowedRelayerAddresses;
    TeleporterMessageReceipt[] receipts;
    bytes message;
}

interface ITeleporterReceiver {
    function receiveTeleporterMessage(
        bytes32 sourceBlockchainID,
        address originSenderAddress,
        bytes calldata message
    ) external;
}

interface IFeeToken {
    function balanceOf(address account) external view returns (uint256);
}

contract Messenger {
    struct SentMessageInfo {
        bytes32 messageHash;
        TeleporterFeeInfo feeInfo;
    }

    struct ReceivedMessageInfo {
        uint256 nonce;
        address relayerRewardAddress;
    }

    /// Receipts of the messages from one chain that no message has carried back yet: those from `first` to before `end`.
    struct ReceiptQueue {
        uint256 first;
        uint256 end;
        mapping(uint256 place => TeleporterMessageReceipt) receipts;
    }

    event BlockchainIDInitialized(bytes32 indexed blockchainID);
    event SendCrossChainMessage(
        bytes32 indexed messageID,
        bytes32 indexed destinationBlockchainID,
        TeleporterMessage message,
        TeleporterFeeInfo feeInfo
    );
    event AddFeeAmount(bytes32 indexed messageID, TeleporterFeeInfo updatedFeeInfo);
    event ReceiveCrossChainMessage(
        bytes32 indexed messageID,
        bytes32 indexed sourceBlockchainID,
        address indexed deliverer,
        address rewardRedeemer,
        TeleporterMessage message
    );
    event MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID);
    event MessageExecutionFailed(
        bytes32 indexed messageID,
        bytes32 indexed sourceBlockchainID,
        TeleporterMessage message
    );
    event ReceiptReceived(
        bytes32 indexed messageID,
        bytes32 indexed destinationBlockchainID,
        address indexed relayerRewardAddress,
        TeleporterFeeInfo feeInfo
    );
    event RelayerRewardsRedeemed(address indexed redeemer, address indexed asset, uint256 amount);

    /// Of the receipts that wait, one message carries at most so many.
    uint256 private constant MAX_RECEIPTS = 5;

    bytes32 public blockchainID;
    /// Of the message that was sent last, whatever its destination.
    uint256 public messageNonce;
    /// Until the receipt has come.
    mapping(bytes32 messageID => SentMessageInfo) public sentMessageInfo;
    /// Of messages that were delivered and whose execution failed.
    mapping(bytes32 messageID => bytes32) public receivedFailedMessageHashes;

    mapping(bytes32 messageID => ReceivedMessageInfo) private receivedMessageInfo;
    mapping(bytes32 sourceBlockchainID => ReceiptQueue) private receiptQueues;
    mapping(address relayer => mapping(address feeToken => uint256)) private rewards;

    /// Two locks: whoever receives a message may send one in the same breath.
    bool private transient isSending;
    bool private transient isReceiving;

    modifier lockSending() {
        require(!isSending, "sending already");
        isSending = true;
        _;
        isSending = false;
    }

    modifier lockReceiving() {
        require(!isReceiving, "receiving already");
        isReceiving = true;
        _;
        isReceiving = false;
    }

    function initializeBlockchainID() public returns (bytes32) {
        if (blockchainID == 0) {
            blockchainID = WARP_MESSENGER.getBlockchainID();
            emit BlockchainIDInitialized(blockchainID);
        }
        return blockchainID;
    }

    function sendCrossChainMessage(
        TeleporterMessageInput calldata messageInput
    ) external lockSending returns (bytes32 messageID) {
        TeleporterMessageReceipt[] memory receipts = takeReceipts(messageInput.destinationBlockchainID);
        return send(messageInput, receipts);
    }

    /// The same message again, with the receipts that it had.
    function retrySendCrossChainMessage(TeleporterMessage calldata message) external lockSending {
        bytes32 messageID = calculateMessageID(
            initializeBlockchainID(),
            message.destinationBlockchainID,
            message.messageNonce
        );
        SentMessageInfo storage sent = sentMessageInfo[messageID];
        require(sent.messageHash != 0, "no such message, or its receipt is there");
        require(sent.messageHash == keccak256(abi.encode(message)), "not the message that was sent");
        emit SendCrossChainMessage(messageID, message.destinationBlockchainID, message, sent.feeInfo);
        WARP_MESSENGER.sendWarpMessage(abi.encode(message));
    }

    function addFeeAmount(
        bytes32 messageID,
        address feeTokenAddress,
        uint256 additionalFeeAmount
    ) external lockSending {
        require(additionalFeeAmount > 0, "no fee to add");
        SentMessageInfo storage sent = sentMessageInfo[messageID];
        require(sent.messageHash != 0, "no such message, or its receipt is there");
        require(sent.feeInfo.feeTokenAddress == feeTokenAddress, "another fee token");
        sent.feeInfo.amount += takeFee(feeTokenAddress, additionalFeeAmount);
        emit AddFeeAmount(messageID, sent.feeInfo);
    }

    /// Delivers the Warp message at the place in the transaction's access list.
    function receiveCrossChainMessage(
        uint32 messageIndex,
        address relayerRewardAddress
    ) external lockReceiving {
        (WarpMessage memory warpMessage, bool valid) = WARP_MESSENGER.getVerifiedWarpMessage(messageIndex);
        require(valid, "not verified");
        require(warpMessage.originSenderAddress == address(this), "not of this messenger");
        require(relayerRewardAddress != address(0), "nobody to reward");
        TeleporterMessage memory message = abi.decode(warpMessage.payload, (TeleporterMessage));
        bytes32 source = warpMessage.sourceChainID;
        bytes32 here = initializeBlockchainID();
        require(message.destinationBlockchainID == here, "for another chain");
        require(isAllowed(msg.sender, message.allowedRelayerAddresses), "not an allowed relayer");
        bytes32 messageID = calculateMessageID(source, here, message.messageNonce);
        require(!messageReceived(messageID), "received already");

        receivedMessageInfo[messageID] = ReceivedMessageInfo(message.messageNonce, relayerRewardAddress);
        for (uint256 i = 0; i < message.receipts.length; i++) settle(source, message.receipts[i]);
        ReceiptQueue storage queue = receiptQueues[source];
        queue.receipts[queue.end++] = TeleporterMessageReceipt(message.messageNonce, relayerRewardAddress);
        emit ReceiveCrossChainMessage(messageID, source, msg.sender, relayerRewardAddress, message);
        if (message.message.length > 0) tryToExecute(messageID, source, message);
    }

    /// With all the gas that there is: the limit was for the relayer.
    function retryMessageExecution(
        bytes32 sourceBlockchainID,
        TeleporterMessage calldata message
    ) external lockReceiving {
        bytes32 messageID = calculateMessageID(
            sourceBlockchainID,
            initializeBlockchainID(),
            message.messageNonce
        );
        bytes32 failedHash = receivedFailedMessageHashes[messageID];
        require(failedHash != 0, "no such message that failed");
        require(failedHash == keccak256(abi.encode(message)), "not the message that failed");
        require(message.destinationAddress.code.length > 0, "no contract at the destination");
        delete receivedFailedMessageHashes[messageID];
        emit MessageExecuted(messageID, sourceBlockchainID);
        require(execute(sourceBlockchainID, message, gasleft()), "failed again");
    }

    /// Again, or ahead of their turn: for relayers whose receipts no message of others takes along.
    function sendSpecifiedReceipts(
        bytes32 sourceBlockchainID,
        bytes32[] calldata messageIDs,
        TeleporterFeeInfo calldata feeInfo,
        address[] calldata allowedRelayerAddresses
    ) external lockSending returns (bytes32 messageID) {
        bytes32 here = initializeBlockchainID();
        TeleporterMessageReceipt[] memory receipts = new TeleporterMessageReceipt[](messageIDs.length);
        for (uint256 i = 0; i < messageIDs.length; i++) {
            ReceivedMessageInfo storage received = receivedMessageInfo[messageIDs[i]];
            require(messageReceived(messageIDs[i]), "no such message received");
            require(
                calculateMessageID(sourceBlockchainID, here, received.nonce) == messageIDs[i],
                "received from another chain"
            );
            receipts[i] = TeleporterMessageReceipt(received.nonce, received.relayerRewardAddress);
        }
        return
            send(
                TeleporterMessageInput({
                    destinationBlockchainID: sourceBlockchainID,
                    destinationAddress: address(0),
                    feeInfo: feeInfo,
                    requiredGasLimit: 0,
                    allowedRelayerAddresses: allowedRelayerAddresses,
                    message: ""
                }),
                receipts
            );
    }

    function redeemRelayerRewards(address feeAsset) external {
        uint256 amount = rewards[msg.sender][feeAsset];
        require(amount > 0, "no rewards");
        delete rewards[msg.sender][feeAsset];
        emit RelayerRewardsRedeemed(msg.sender, feeAsset, amount);
        callToken(feeAsset, abi.encodeWithSignature("transfer(address,uint256)", msg.sender, amount));
    }

    function getMessageHash(bytes32 messageID) external view returns (bytes32) {
        return sentMessageInfo[messageID].messageHash;
    }

    function getFeeInfo(bytes32 messageID) external view returns (address, uint256) {
        TeleporterFeeInfo storage feeInfo = sentMessageInfo[messageID].feeInfo;
        return (feeInfo.feeTokenAddress, feeInfo.amount);
    }

    function getNextMessageID(bytes32 destinationBlockchainID) external view returns (bytes32) {
        require(blockchainID != 0, "the blockchain id is not known yet");
        return calculateMessageID(blockchainID, destinationBlockchainID, messageNonce + 1);
    }

    function getRelayerRewardAddress(bytes32 messageID) external view returns (address) {
        require(messageReceived(messageID), "no such message received");
        return receivedMessageInfo[messageID].relayerRewardAddress;
    }

    function checkRelayerRewardAmount(address relayer, address feeAsset) external view returns (uint256) {
        return rewards[relayer][feeAsset];
    }

    function getReceiptQueueSize(bytes32 sourceBlockchainID) external view returns (uint256) {
        ReceiptQueue storage queue = receiptQueues[sourceBlockchainID];
        return queue.end - queue.first;
    }

    function getReceiptAtIndex(
        bytes32 sourceBlockchainID,
        uint256 index
    ) external view returns (TeleporterMessageReceipt memory) {
        ReceiptQueue storage queue = receiptQueues[sourceBlockchainID];
        require(index < queue.end - queue.first, "no such receipt");
        return queue.receipts[queue.first + index];
    }

    /// Nonces start at one.
    function messageReceived(bytes32 messageID) public view returns (bool) {
        return receivedMessageInfo[messageID].nonce != 0;
    }

    function calculateMessageID(
        bytes32 sourceBlockchainID,
        bytes32 destinationBlockchainID,
        uint256 nonce
    ) public view returns (bytes32) {
        return keccak256(abi.encode(address(this), sourceBlockchainID, destinationBlockchainID, nonce));
    }

    function send(
        TeleporterMessageInput memory input,
        TeleporterMessageReceipt[] memory receipts
    ) private returns (bytes32 messageID) {
        bytes32 here = initializeBlockchainID();
        TeleporterMessage memory message = TeleporterMessage({
            messageNonce: ++messageNonce,
            originSenderAddress: msg.sender,
            destinationBlockchainID: input.destinationBlockchainID,
            destinationAddress: input.destinationAddress,
            requiredGasLimit: input.requiredGasLimit,
            allowedRelayerAddresses: input.allowedRelayerAddresses,
            receipts: receipts,
            message: input.message
        });
        TeleporterFeeInfo memory fee = input.feeInfo;
        if (fee.amount > 0) fee.amount = takeFee(fee.feeTokenAddress, fee.amount);
        messageID = calculateMessageID(here, message.destinationBlockchainID, message.messageNonce);
        bytes memory encoded = abi.encode(message);
        sentMessageInfo[messageID] = SentMessageInfo(keccak256(encoded), fee);
        emit SendCrossChainMessage(messageID, message.destinationBlockchainID, message, fee);
        WARP_MESSENGER.sendWarpMessage(encoded);
    }

    function takeReceipts(bytes32 chain) private returns (TeleporterMessageReceipt[] memory receipts) {
        ReceiptQueue storage queue = receiptQueues[chain];
        uint256 waiting = queue.end - queue.first;
        receipts = new TeleporterMessageReceipt[](waiting < MAX_RECEIPTS ? waiting : MAX_RECEIPTS);
        for (uint256 i = 0; i < receipts.length; i++) {
            receipts[i] = queue.receipts[queue.first];
            delete queue.receipts[queue.first++];
        }
    }

    /// A receipt that comes twice is worth nothing the second time.
    function settle(bytes32 destination, TeleporterMessageReceipt memory receipt) private {
        bytes32 messageID = calculateMessageID(blockchainID, destination, receipt.receivedMessageNonce);
        SentMessageInfo memory sent = sentMessageInfo[messageID];
        if (sent.messageHash == 0) return;
        delete sentMessageInfo[messageID];
        rewards[receipt.relayerRewardAddress][sent.feeInfo.feeTokenAddress] += sent.feeInfo.amount;
        emit ReceiptReceived(messageID, destination, receipt.relayerRewardAddress, sent.feeInfo);
    }

    /// It counts as delivered either way; what fails can be tried again by everybody.
    function tryToExecute(bytes32 messageID, bytes32 source, TeleporterMessage memory message) private {
        require(gasleft() >= message.requiredGasLimit, "too little gas");
        if (
            message.destinationAddress.code.length > 0 && execute(source, message, message.requiredGasLimit)
        ) {
            emit MessageExecuted(messageID, source);
        } else {
            receivedFailedMessageHashes[messageID] = keccak256(abi.encode(message));
            emit MessageExecutionFailed(messageID, source, message);
        }
    }

    function execute(
        bytes32 source,
        TeleporterMessage memory message,
        uint256 gasLimit
    ) private returns (bool done) {
        (done, ) = message.destinationAddress.call{gas: gasLimit}(
            abi.encodeCall(
                ITeleporterReceiver.receiveTeleporterMessage,
                (source, message.originSenderAddress, message.message)
            )
        );
    }

    /// The amount that has arrived: some tokens keep a part of it for themselves.
    function takeFee(address token, uint256 amount) private returns (uint256) {
        require(token != address(0), "no fee token");
        uint256 before = IFeeToken(token).balanceOf(address(this));
        callToken(
            token,
            abi.encodeWithSignature(
                "transferFrom(address,address,uint256)",
                msg.sender,
                address(this),
                amount
            )
        );
        return IFeeToken(token).balanceOf(address(this)) - before;
    }

    /// Some tokens return nothing.
    function callToken(address token, bytes memory data) private {
        (bool done, bytes memory answer) = token.call(data);
        require(done && (answer.length == 0 || abi.decode(answer, (bool))), "the token refuses");
    }

    /// An empty list allows everybody.
    function isAllowed(address relayer, address[] memory allowed) private pure returns (bool) {
        for (uint256 i = 0; i < allowed.length; i++) if (allowed[i] == relayer) return true;
        return allowed.length == 0;
    }
}

/// Writes down what it is sent, or refuses it.
contract MessageReceiver is ITeleporterReceiver {
    event MessageReceived(bytes32 indexed sourceBlockchainID, address indexed originSenderAddress, bytes message);

    bool public isRefusing;

    function setRefusing(bool refusing) external {
        isRefusing = refusing;
    }

    function receiveTeleporterMessage(
        bytes32 sourceBlockchainID,
        address originSenderAddress,
        bytes calldata message
    ) external {
        require(!isRefusing, "refused");
        emit MessageReceived(sourceBlockchainID, originSenderAddress, message);
    }
}
