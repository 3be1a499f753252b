// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Cases that no reader of a chain may stumble over. The transfers of these tokens are well-formed and move nothing.

contract HugeSymbolErc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 255;

    function name() external pure returns (string memory) {
        return "Huge";
    }

    /// A megabyte of the letter A.
    function symbol() external pure returns (string memory) {
        bytes memory text = new bytes(1 << 20);
        assembly {
            let word := add(text, 32)
            let end := add(word, mload(text))
            let filling := 0x4141414141414141414141414141414141414141414141414141414141414141
            for {} lt(word, end) { word := add(word, 32) } { mstore(word, filling) }
        }
        return string(text);
    }

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// As tokens from before the standard have it.
contract Bytes32Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    bytes32 public constant name = "Thirty-two";
    bytes32 public constant symbol = "B32";
    uint256 public constant decimals = 6;

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

contract RevertingErc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function name() external pure returns (string memory) {
        revert("rate limit exceeded, too many requests");
    }

    function symbol() external pure returns (string memory) {
        revert();
    }

    /// More than 255, so no decimals.
    function decimals() external pure returns (uint256) {
        return type(uint256).max;
    }

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Logs that carry the signature of a transfer and are none.
contract FakeTransfers {
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");
    bytes32 private constant SINGLE = keccak256("TransferSingle(address,address,address,uint256,uint256)");
    bytes32 private constant BATCH = keccak256("TransferBatch(address,address,address,uint256[],uint256[])");

    function logAll(address from, address to) external {
        bytes32 sender = bytes32(uint256(uint160(from)));
        bytes32 receiver = bytes32(uint256(uint160(to)));
        log(abi.encodePacked(TRANSFER, sender, receiver), hex"");
        log(abi.encodePacked(TRANSFER, sender, receiver), hex"01");
        log(abi.encodePacked(TRANSFER, sender, receiver), abi.encode(1, 2));
        log(abi.encodePacked(TRANSFER, sender, receiver, uint256(7)), abi.encode(1));
        log(abi.encodePacked(TRANSFER, sender), abi.encode(receiver, 1));
        log(abi.encodePacked(TRANSFER), abi.encode(sender, receiver, 1));
        log(abi.encodePacked(TRANSFER, sender | bytes32(uint256(1) << 200), receiver), abi.encode(1));
        log(abi.encodePacked(TRANSFER, sender, ~receiver), abi.encode(1));
        log(abi.encodePacked(SINGLE, sender, sender, receiver), abi.encode(1));
        log(abi.encodePacked(SINGLE, sender, receiver), abi.encode(1, 2));
        log(abi.encodePacked(BATCH, sender, sender, receiver), abi.encode(new uint256[](2), new uint256[](3)));
        log(abi.encodePacked(BATCH, sender, sender, receiver), abi.encode(1 << 255, 1 << 255));
        log(abi.encodePacked(BATCH, sender, sender, receiver), abi.encode(64, 96, type(uint256).max, 0));
        log(abi.encodePacked(BATCH, sender, sender, receiver), hex"");
        log(hex"", abi.encode(from, to, 1));
    }

    /// A batch of nothing, and one in which the same id comes twice: odd, but as the standard wants them.
    function logOddBatches(address from, address to) external {
        bytes32 sender = bytes32(uint256(uint160(from)));
        bytes32 receiver = bytes32(uint256(uint160(to)));
        bytes memory topics = abi.encodePacked(BATCH, sender, sender, receiver);
        uint256[] memory twice = new uint256[](2);
        log(topics, abi.encode(new uint256[](0), new uint256[](0)));
        log(topics, abi.encode(twice, twice));
    }

    function log(bytes memory topics, bytes memory data) private {
        assembly {
            let size := mload(data)
            let content := add(data, 32)
            let first := mload(add(topics, 32))
            let second := mload(add(topics, 64))
            let third := mload(add(topics, 96))
            let fourth := mload(add(topics, 128))
            switch shr(5, mload(topics))
            case 0 { log0(content, size) }
            case 1 { log1(content, size, first) }
            case 2 { log2(content, size, first, second) }
            case 3 { log3(content, size, first, second, third) }
            default { log4(content, size, first, second, third, fourth) }
        }
    }
}
