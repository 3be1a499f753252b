// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// NFTs whose metadata everybody may set, or remove.

library Texts {
    /// The text, and behind it so many letters A: more than anybody would want to put on a chain.
    function padded(string memory head, uint256 padding) internal pure returns (string memory) {
        bytes memory text = new bytes(bytes(head).length + padding);
        assembly {
            let word := add(text, 32)
            let end := add(word, mload(text))
            let filling := 0x4141414141414141414141414141414141414141414141414141414141414141
            for {} lt(word, end) { word := add(word, 32) } { mstore(word, filling) }
        }
        for (uint256 i = 0; i < bytes(head).length; i++) text[i] = bytes(head)[i];
        return string(text);
    }
}

contract Gallery {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event MetadataUpdate(uint256 tokenId);

    string public constant name = "Gallery";
    string public constant symbol = "ART";
    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => string) private uris;
    mapping(uint256 => uint256) private paddings;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x49064906;
    }

    /// Also of what was burnt.
    function tokenURI(uint256 tokenId) external view returns (string memory) {
        require(ownerOf[tokenId] != address(0) || bytes(uris[tokenId]).length > 0, "no such token");
        return Texts.padded(uris[tokenId], paddings[tokenId]);
    }

    function mint(address to, uint256 tokenId, string calldata uri, uint256 padding) external {
        require(ownerOf[tokenId] == address(0), "there already");
        ownerOf[tokenId] = to;
        uris[tokenId] = uri;
        paddings[tokenId] = padding;
        emit Transfer(address(0), to, tokenId);
    }

    function burn(uint256 tokenId) external {
        emit Transfer(ownerOf[tokenId], address(0), tokenId);
        delete ownerOf[tokenId];
    }

    function setTokenURI(uint256 tokenId, string calldata uri) external {
        uris[tokenId] = uri;
        emit MetadataUpdate(tokenId);
    }
}

contract Goods {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event URI(string value, uint256 indexed id);

    mapping(uint256 => mapping(address => uint256)) public balanceOf;
    mapping(uint256 => string) private uris;
    mapping(uint256 => uint256) private paddings;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256 id) external view returns (string memory) {
        require(bytes(uris[id]).length > 0, "no URI");
        return Texts.padded(uris[id], paddings[id]);
    }

    function mint(address to, uint256 id, string calldata uri_, uint256 padding) external {
        balanceOf[id][to] += 10;
        uris[id] = uri_;
        paddings[id] = padding;
        emit TransferSingle(msg.sender, address(0), to, id, 10);
    }

    function setURI(uint256 id, string calldata uri_) external {
        uris[id] = uri_;
        emit URI(uri_, id);
    }
}
