// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Ways in which contracts pass native value on, which only a trace shows.

/// Keeps what it is given.
contract Vault {
    constructor() payable {}

    receive() external payable {}

    function destroy(address payable heir) external {
        selfdestruct(heir);
    }
}

contract AlwaysReverts {
    receive() external payable {
        revert("never");
    }

    fallback() external payable {
        revert("never");
    }
}

contract FailingCreation {
    constructor() payable {
        revert("not created");
    }
}

contract Splitter {
    address public created;

    receive() external payable {}

    /// CALL, once for each.
    function split(address[] calldata receivers) external payable {
        for (uint256 i = 0; i < receivers.length; i++) pay(receivers[i], msg.value / receivers.length);
    }

    /// CALL within CALL: `path` is the way that all of it takes.
    function passOn(address payable[] calldata path) external payable {
        if (path.length == 1) return pay(path[0], msg.value);
        Splitter(path[0]).passOn{value: msg.value}(path[1:]);
    }

    /// CREATE and CREATE2, half of the value each.
    function create(bytes32 salt) external payable {
        new Vault{value: msg.value / 2}();
        created = address(new Vault{value: msg.value / 2, salt: salt}());
    }

    /// SELFDESTRUCT within the transaction that created the contract, which is the only one that removes it.
    function createAndDestroy(address payable heir) external payable {
        new Vault{value: msg.value}().destroy(heir);
    }

    /// Undone: value that reached `receiver` on the way, and that the refusing contract did not take.
    function tryPay(address refusing, address receiver) external payable {
        try this.payBoth{value: msg.value / 2}(refusing, receiver) {} catch {}
        (bool paid, ) = refusing.call{value: msg.value / 4}("");
        require(!paid, "was paid");
        pay(msg.sender, address(this).balance);
    }

    function payBoth(address refusing, address receiver) external payable {
        pay(receiver, msg.value / 2);
        pay(refusing, msg.value / 2);
    }

    /// DELEGATECALL shows the value again that this contract has got already.
    function delegate(address implementation, address[] calldata receivers) external payable {
        (bool done, ) = implementation.delegatecall(abi.encodeCall(Splitter.split, (receivers)));
        require(done, "not delegated");
    }

    /// CALLCODE, long deprecated, looks like a payment to `implementation` and is none.
    function callCode(address implementation) external payable {
        assembly {
            pop(callcode(gas(), implementation, div(callvalue(), 2), 0, 0, 0, 0))
        }
    }

    /// Keeps calling until the gas is used up.
    function burnGas() external payable {
        while (true) pay(msg.sender, 0);
    }

    function pay(address receiver, uint256 value) private {
        (bool paid, ) = receiver.call{value: value}("");
        require(paid, "not paid");
    }
}
