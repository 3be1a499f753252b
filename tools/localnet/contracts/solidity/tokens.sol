// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Tokens that scenarios move around. None of these contracts guards anything: everybody may move everything.

contract Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    mapping(address => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        move(from, to, value);
        return true;
    }

    function burn(uint256 value) external {
        move(msg.sender, address(0), value);
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract Erc721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    string public constant name = "Collected Works";
    string public constant symbol = "WORK";
    mapping(uint256 => address) public ownerOf;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function mint(address to, uint256 tokenId) external {
        move(address(0), to, tokenId);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        move(from, to, tokenId);
    }

    function burn(uint256 tokenId) external {
        move(ownerOf[tokenId], address(0), tokenId);
    }

    function move(address from, address to, uint256 tokenId) private {
        require(ownerOf[tokenId] == from, "not the owner");
        ownerOf[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }
}

contract Erc1155 {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );

    mapping(uint256 => mapping(address => uint256)) private balances;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function mint(address to, uint256 id, uint256 value) external {
        move(address(0), to, id, value);
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata values) external {
        moveAll(address(0), to, ids, values);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata) external {
        move(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function safeBatchTransferFrom(
        address from, address to, uint256[] calldata ids, uint256[] calldata values, bytes calldata
    ) external {
        moveAll(from, to, ids, values);
    }

    function burn(address from, uint256 id, uint256 value) external {
        move(from, address(0), id, value);
        emit TransferSingle(msg.sender, from, address(0), id, value);
    }

    function moveAll(address from, address to, uint256[] calldata ids, uint256[] calldata values) private {
        for (uint256 i = 0; i < ids.length; i++) move(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
    }

    function move(address from, address to, uint256 id, uint256 value) private {
        if (from != address(0)) balances[id][from] -= value;
        if (to != address(0)) balances[id][to] += value;
    }
}
