/** Made of solidity/ by `npm run compile:contracts`; a test compiles again and compares. */

export const AlwaysReverts = {
  abi: [
    { stateMutability: 'payable', type: 'fallback' },
    { stateMutability: 'payable', type: 'receive' },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b50606c80601a5f395ff3fe608060405236603d5760405162461bcd60e51b81526020600482015260056024820152643732bb32b960d91b60448201526064015b60405180910390fd5b60405162461bcd60e51b81526020600482015260056024820152643732bb32b960d91b6044820152606401603456',
} as const;

export const Bytes32Erc20 = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'Transfer',
      type: 'event',
    },
    {
      inputs: [],
      name: 'decimals',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [],
      name: 'name',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [],
      name: 'symbol',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'transfer',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506101178061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061004a575f3560e01c806306fdde031461004e578063313ce5671461007457806395d89b411461007c578063a9059cbb14610089575b5f5ffd5b610062695468697274792d74776f60b01b81565b60405190815260200160405180910390f35b610062600681565b6100626221199960e91b81565b61009c6100973660046100e2565b61009e565b005b6040518181526001600160a01b0383169033907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9060200160405180910390a35050565b5f5f604083850312156100f3575f5ffd5b82356001600160a01b0381168114610109575f5ffd5b94602093909301359350505056',
} as const;

export const Erc1155 = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'operator', type: 'address' },
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256[]', name: 'ids', type: 'uint256[]' },
        { indexed: false, internalType: 'uint256[]', name: 'values', type: 'uint256[]' },
      ],
      name: 'TransferBatch',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'operator', type: 'address' },
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'id', type: 'uint256' },
        { indexed: false, internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'TransferSingle',
      type: 'event',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'uint256', name: 'id', type: 'uint256' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'burn',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'id', type: 'uint256' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'mint',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256[]', name: 'ids', type: 'uint256[]' },
        { internalType: 'uint256[]', name: 'values', type: 'uint256[]' },
      ],
      name: 'mintBatch',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256[]', name: 'ids', type: 'uint256[]' },
        { internalType: 'uint256[]', name: 'values', type: 'uint256[]' },
        { internalType: 'bytes', name: '', type: 'bytes' },
      ],
      name: 'safeBatchTransferFrom',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'id', type: 'uint256' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
        { internalType: 'bytes', name: '', type: 'bytes' },
      ],
      name: 'safeTransferFrom',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes4', name: 'id', type: 'bytes4' }],
      name: 'supportsInterface',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'pure',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506106ea8061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610060575f3560e01c806301ffc9a714610064578063156e29f61461008b5780632eb2c2d6146100a0578063d81d0a15146100b3578063f242432a146100c6578063f5298aca146100d9575b5f5ffd5b61007761007236600461038a565b6100ec565b604051901515815260200160405180910390f35b61009e6100993660046103d3565b610122565b005b61009e6100ae366004610489565b61017c565b61009e6100c1366004610548565b610194565b61009e6100d43660046105c8565b6101a9565b61009e6100e73660046103d3565b610209565b5f6301ffc9a760e01b6001600160e01b03198316148061011c5750636cdb3d1360e11b6001600160e01b03198316145b92915050565b61012e5f84848461025a565b60408051838152602081018390526001600160a01b038516915f9133917fc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f6291015b60405180910390a4505050565b61018a8888888888886102e8565b5050505050505050565b6101a25f86868686866102e8565b5050505050565b6101b58686868661025a565b60408051858152602081018590526001600160a01b03808816929089169133917fc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f6291015b60405180910390a4505050505050565b610215835f848461025a565b60408051838152602081018390525f916001600160a01b0386169133917fc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62910161016f565b6001600160a01b0384161561029e575f828152602081815260408083206001600160a01b03881684529091528120805483929061029890849061064f565b90915550505b6001600160a01b038316156102e2575f828152602081815260408083206001600160a01b0387168452909152812080548392906102dc908490610662565b90915550505b50505050565b5f5b838110156103365761032e878787878581811061030957610309610675565b9050602002013586868681811061032257610322610675565b9050602002013561025a565b6001016102ea565b50846001600160a01b0316866001600160a01b0316336001600160a01b03167f4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb878787876040516101f994939291906106b9565b5f6020828403121561039a575f5ffd5b81356001600160e01b0319811681146103b1575f5ffd5b9392505050565b80356001600160a01b03811681146103ce575f5ffd5b919050565b5f5f5f606084860312156103e5575f5ffd5b6103ee846103b8565b95602085013595506040909401359392505050565b5f5f83601f840112610413575f5ffd5b50813567ffffffffffffffff81111561042a575f5ffd5b6020830191508360208260051b8501011115610444575f5ffd5b9250929050565b5f5f83601f84011261045b575f5ffd5b50813567ffffffffffffffff811115610472575f5ffd5b602083019150836020828501011115610444575f5ffd5b5f5f5f5f5f5f5f5f60a0898b0312156104a0575f5ffd5b6104a9896103b8565b97506104b760208a016103b8565b9650604089013567ffffffffffffffff8111156104d2575f5ffd5b6104de8b828c01610403565b909750955050606089013567ffffffffffffffff8111156104fd575f5ffd5b6105098b828c01610403565b909550935050608089013567ffffffffffffffff811115610528575f5ffd5b6105348b828c0161044b565b999c989b5096995094979396929594505050565b5f5f5f5f5f6060868803121561055c575f5ffd5b610565866103b8565b9450602086013567ffffffffffffffff811115610580575f5ffd5b61058c88828901610403565b909550935050604086013567ffffffffffffffff8111156105ab575f5ffd5b6105b788828901610403565b969995985093965092949392505050565b5f5f5f5f5f5f60a087890312156105dd575f5ffd5b6105e6876103b8565b95506105f4602088016103b8565b94506040870135935060608701359250608087013567ffffffffffffffff81111561061d575f5ffd5b61062989828a0161044b565b979a9699509497509295939492505050565b634e487b7160e01b5f52601160045260245ffd5b8181038181111561011c5761011c61063b565b8082018082111561011c5761011c61063b565b634e487b7160e01b5f52603260045260245ffd5b8183525f6001600160fb1b038311156106a0575f5ffd5b8260051b80836020870137939093016020019392505050565b604081525f6106cc604083018688610689565b82810360208401526106df818587610689565b97965050505050505056',
} as const;

export const Erc20 = {
  abi: [
    {
      inputs: [
        { internalType: 'string', name: 'name_', type: 'string' },
        { internalType: 'string', name: 'symbol_', type: 'string' },
        { internalType: 'uint8', name: 'decimals_', type: 'uint8' },
      ],
      stateMutability: 'nonpayable',
      type: 'constructor',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'Transfer',
      type: 'event',
    },
    {
      inputs: [{ internalType: 'address', name: '', type: 'address' }],
      name: 'balanceOf',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'uint256', name: 'value', type: 'uint256' }],
      name: 'burn',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'decimals',
      outputs: [{ internalType: 'uint8', name: '', type: 'uint8' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'mint',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'name',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [],
      name: 'symbol',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'transfer',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'transferFrom',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x60a060405234801561000f575f5ffd5b5060405161078f38038061078f83398101604081905261002e916100f2565b5f61003984826101fe565b50600161004683826101fe565b5060ff16608052506102bc9050565b634e487b7160e01b5f52604160045260245ffd5b5f82601f830112610078575f5ffd5b81516001600160401b0381111561009157610091610055565b604051601f8201601f19908116603f011681016001600160401b03811182821017156100bf576100bf610055565b6040528181528382016020018510156100d6575f5ffd5b8160208501602083015e5f918101602001919091529392505050565b5f5f5f60608486031215610104575f5ffd5b83516001600160401b03811115610119575f5ffd5b61012586828701610069565b602086015190945090506001600160401b03811115610142575f5ffd5b61014e86828701610069565b925050604084015160ff81168114610164575f5ffd5b809150509250925092565b600181811c9082168061018357607f821691505b6020821081036101a157634e487b7160e01b5f52602260045260245ffd5b50919050565b601f8211156101f957828211156101f957805f5260205f20601f840160051c60208510156101d257505f5b90810190601f840160051c035f5b818110156101f5575f838201556001016101e0565b5050505b505050565b81516001600160401b0381111561021757610217610055565b61022b81610225845461016f565b846101a7565b6020601f82116001811461025d575f83156102465750848201515b5f19600385901b1c1916600184901b1784556102b5565b5f84815260208120601f198516915b8281101561028c578785015182556020948501946001909201910161026c565b50848210156102a957868401515f19600387901b60f8161c191681555b505060018360011b0184555b5050505050565b6080516104bc6102d35f395f60cf01526104bc5ff3fe608060405234801561000f575f5ffd5b5060043610610085575f3560e01c806342966c681161005857806342966c681461011857806370a082311461012b57806395d89b4114610158578063a9059cbb14610160575f5ffd5b806306fdde031461008957806323b872dd146100a7578063313ce567146100ca57806340c10f1914610103575b5f5ffd5b610091610173565b60405161009e9190610361565b60405180910390f35b6100ba6100b53660046103b1565b6101fe565b604051901515815260200161009e565b6100f17f000000000000000000000000000000000000000000000000000000000000000081565b60405160ff909116815260200161009e565b6101166101113660046103eb565b610214565b005b610116610126366004610413565b610284565b61014a61013936600461042a565b60026020525f908152604090205481565b60405190815260200161009e565b610091610292565b6100ba61016e3660046103eb565b61029f565b5f805461017f9061044a565b80601f01602080910402602001604051908101604052809291908181526020018280546101ab9061044a565b80156101f65780601f106101cd576101008083540402835291602001916101f6565b820191905f5260205f20905b8154815290600101906020018083116101d957829003601f168201915b505050505081565b5f61020a8484846102b5565b5060019392505050565b6001600160a01b0382165f908152600260205260408120805483929061023b908490610496565b90915550506040518181526001600160a01b038316905f907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9060200160405180910390a35050565b61028f335f836102b5565b50565b6001805461017f9061044a565b5f6102ab3384846102b5565b5060015b92915050565b6001600160a01b0383165f90815260026020526040812080548392906102dc9084906104a9565b90915550506001600160a01b0382165f9081526002602052604081208054839290610308908490610496565b92505081905550816001600160a01b0316836001600160a01b03167fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef8360405161035491815260200190565b60405180910390a3505050565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f83011684010191505092915050565b80356001600160a01b03811681146103ac575f5ffd5b919050565b5f5f5f606084860312156103c3575f5ffd5b6103cc84610396565b92506103da60208501610396565b929592945050506040919091013590565b5f5f604083850312156103fc575f5ffd5b61040583610396565b946020939093013593505050565b5f60208284031215610423575f5ffd5b5035919050565b5f6020828403121561043a575f5ffd5b61044382610396565b9392505050565b600181811c9082168061045e57607f821691505b60208210810361047c57634e487b7160e01b5f52602260045260245ffd5b50919050565b634e487b7160e01b5f52601160045260245ffd5b808201808211156102af576102af610482565b818103818111156102af576102af61048256',
} as const;

export const Erc721 = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: true, internalType: 'uint256', name: 'tokenId', type: 'uint256' },
      ],
      name: 'Transfer',
      type: 'event',
    },
    {
      inputs: [{ internalType: 'uint256', name: 'tokenId', type: 'uint256' }],
      name: 'burn',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'tokenId', type: 'uint256' },
      ],
      name: 'mint',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'name',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      name: 'ownerOf',
      outputs: [{ internalType: 'address', name: '', type: 'address' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes4', name: 'id', type: 'bytes4' }],
      name: 'supportsInterface',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [],
      name: 'symbol',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'tokenId', type: 'uint256' },
      ],
      name: 'transferFrom',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506103c48061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061007a575f3560e01c806340c10f191161005857806340c10f19146100f657806342966c68146101095780636352211e1461011c57806395d89b411461015c575f5ffd5b806301ffc9a71461007e57806306fdde03146100a657806323b872dd146100e1575b5f5ffd5b61009161008c3660046102cd565b61017f565b60405190151581526020015b60405180910390f35b6100d46040518060400160405280600f81526020016e436f6c6c656374656420576f726b7360881b81525081565b60405161009d91906102fb565b6100f46100ef36600461034b565b6101d0565b005b6100f4610104366004610385565b6101e0565b6100f46101173660046103ad565b6101ef565b61014461012a3660046103ad565b5f602081905290815260409020546001600160a01b031681565b6040516001600160a01b03909116815260200161009d565b6100d460405180604001604052806004815260200163574f524b60e01b81525081565b5f6301ffc9a760e01b6001600160e01b0319831614806101af57506380ac58cd60e01b6001600160e01b03198316145b806101ca5750635b5e139f60e01b6001600160e01b03198316145b92915050565b6101db838383610216565b505050565b6101eb5f8383610216565b5050565b5f81815260208190526040812054610213916001600160a01b039091169083610216565b50565b5f818152602081905260409020546001600160a01b038481169116146102725760405162461bcd60e51b815260206004820152600d60248201526c3737ba103a34329037bbb732b960991b604482015260640160405180910390fd5b5f8181526020819052604080822080546001600160a01b0319166001600160a01b0386811691821790925591518493918716917fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef91a4505050565b5f602082840312156102dd575f5ffd5b81356001600160e01b0319811681146102f4575f5ffd5b9392505050565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f83011684010191505092915050565b80356001600160a01b0381168114610346575f5ffd5b919050565b5f5f5f6060848603121561035d575f5ffd5b61036684610330565b925061037460208501610330565b929592945050506040919091013590565b5f5f60408385031215610396575f5ffd5b61039f83610330565b946020939093013593505050565b5f602082840312156103bd575f5ffd5b503591905056',
} as const;

export const FailingCreation = {
  abi: [{ inputs: [], stateMutability: 'payable', type: 'constructor' }],
  bytecode:
    '0x6080604081905262461bcd60e51b81526020608452600b60a4526a1b9bdd0818dc99585d195960aa1b60c452606490fdfe',
} as const;

export const FakeTransfers = {
  abi: [
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
      ],
      name: 'logAll',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'from', type: 'address' },
        { internalType: 'address', name: 'to', type: 'address' },
      ],
      name: 'logOddBatches',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506107328061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c80636b75120314610038578063dce8b5ec1461004d575b5f5ffd5b61004b610046366004610659565b610060565b005b61004b61005b366004610659565b61051f565b604080515f5160206107125f395f51905f5260208201526001600160a01b03848116928201839052831660608201819052906100b7906080015b60408051601f19818403018152602083019091525f8252906105c7565b604080515f5160206107125f395f51905f526020820152908101839052606081018290526101099060800160408051601f1981840301815282820190915260018252600160f81b6020830152906105c7565b604080515f5160206107125f395f51905f5260208201529081018390526060810182905261016e906080015b60408051601f1981840301815282825260016020840152600291830191909152906060015b6040516020818303038152906040526105c7565b604080515f5160206107125f395f51905f52602082015290810183905260608101829052600760808201526101bf9060a0015b60408051601f1981840301815282825260016020840152910161015a565b604080515f5160206107125f395f51905f5260208201528082018490528151808203830181526060820190925260808101839052600160a0820152610207919060c00161015a565b604080515f5160206107125f395f51905f526020820152610250910160408051601f1981840301815282825260208301869052908201849052600160608301529060800161015a565b604080515f5160206107125f395f51905f526020820152600160c81b84179181019190915260608101829052610288906080016101a1565b604080515f5160206107125f395f51905f526020820152908101839052811960608201526102b8906080016101a1565b604080517fc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62602082015290810183905260608101839052608081018290526103029060a0016101a1565b604080517fc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f6260208201529081018390526060810182905261034590608001610135565b604080515f5160206106f25f395f51905f52602082015290810183905260608101839052608081018290526103e09060a00160408051808303601f1901815260028084526060840190925291908160200160208202803683370190505060035b6040519080825280602002602001820160405280156103ce578160200160208202803683370190505b5060405160200161015a9291906106c4565b604080515f5160206106f25f395f51905f5260208201528082018490526060810184905260808082018490528251808303909101815260a08201909252600160ff1b60c0820181905260e082015261043c91906101000161015a565b604080515f5160206106f25f395f51905f526020820152808201849052606080820185905260808083018590528351808403909101815260a08301845260c083019390935260e08201525f196101008201525f6101208201526104a391906101400161015a565b604080515f5160206106f25f395f51905f52602082015290810183905260608101839052608081018290526104da9060a00161009a565b60408051602080820183525f825282516001600160a01b038089169282019290925290861692810192909252600160608301526105199160800161015a565b50505050565b604080515f5160206106f25f395f51905f5260208201526001600160a01b0384811692820183905260608201839052831660808201819052905f9060a00160408051808303601f1901815260028084526060840190925292505f91908160200160208202803683375050604080515f808252602082019092529293506105a892859250906103a5565b6105bf82828360405160200161015a9291906106c4565b505050505050565b8051602082016020840151604085015160608601516080870151875160051c5f811461061157600181146106195760028114610622576003811461062c57818385878a8aa4610633565b8686a0610633565b848787a1610633565b83858888a2610633565b8284868989a35b505050505050505050565b80356001600160a01b0381168114610654575f5ffd5b919050565b5f5f6040838503121561066a575f5ffd5b6106738361063e565b91506106816020840161063e565b90509250929050565b5f8151808452602084019350602083015f5b828110156106ba57815186526020958601959091019060010161069c565b5093949350505050565b604081525f6106d6604083018561068a565b82810360208401526106e8818561068a565b9594505050505056fe4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fbddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
} as const;

export const HugeSymbolErc20 = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'Transfer',
      type: 'event',
    },
    {
      inputs: [],
      name: 'decimals',
      outputs: [{ internalType: 'uint8', name: '', type: 'uint8' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [],
      name: 'name',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [],
      name: 'symbol',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'transfer',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506101d78061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061004a575f3560e01c806306fdde031461004e578063313ce5671461008057806395d89b411461009a578063a9059cbb146100a2575b5f5ffd5b6040805180820190915260048152634875676560e01b60208201525b604051610077919061016d565b60405180910390f35b61008860ff81565b60405160ff9091168152602001610077565b61006a6100b7565b6100b56100b03660046101a2565b610129565b005b60408051621000008082526210002082019092526060915f919060208201818036833701905050905060208101815181017f41414141414141414141414141414141414141414141414141414141414141415b818310156101205780835260208301925061010a565b50919392505050565b6040518181526001600160a01b0383169033907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9060200160405180910390a35050565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f83011684010191505092915050565b5f5f604083850312156101b3575f5ffd5b82356001600160a01b03811681146101c9575f5ffd5b94602093909301359350505056',
} as const;

export const MessageReceiver = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { indexed: true, internalType: 'address', name: 'originSenderAddress', type: 'address' },
        { indexed: false, internalType: 'bytes', name: 'message', type: 'bytes' },
      ],
      name: 'MessageReceived',
      type: 'event',
    },
    {
      inputs: [],
      name: 'isRefusing',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { internalType: 'address', name: 'originSenderAddress', type: 'address' },
        { internalType: 'bytes', name: 'message', type: 'bytes' },
      ],
      name: 'receiveTeleporterMessage',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bool', name: 'refusing', type: 'bool' }],
      name: 'setRefusing',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506102018061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061003f575f3560e01c80631e0def341461004357806380fe75e214610065578063c868efaa14610085575b5f5ffd5b61006361005136600461011d565b5f805460ff1916911515919091179055565b005b5f546100719060ff1681565b604051901515815260200160405180910390f35b610063610093366004610143565b5f5460ff16156100d35760405162461bcd60e51b81526020600482015260076024820152661c99599d5cd95960ca1b604482015260640160405180910390fd5b826001600160a01b0316847f61ff615413581b9b24dabebe6013dd2195ab10e3285692574fb0790ca4c05b56848460405161010f9291906101d3565b60405180910390a350505050565b5f6020828403121561012d575f5ffd5b8135801515811461013c575f5ffd5b9392505050565b5f5f5f5f60608587031215610156575f5ffd5b8435935060208501356001600160a01b0381168114610173575f5ffd5b9250604085013567ffffffffffffffff81111561018e575f5ffd5b8501601f8101871361019e575f5ffd5b803567ffffffffffffffff8111156101b4575f5ffd5b8760208284010111156101c5575f5ffd5b949793965060200194505050565b60208152816020820152818360408301375f818301604090810191909152601f909201601f1916010191905056',
} as const;

export const Messenger = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        {
          components: [
            { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
            { internalType: 'uint256', name: 'amount', type: 'uint256' },
          ],
          indexed: false,
          internalType: 'struct TeleporterFeeInfo',
          name: 'updatedFeeInfo',
          type: 'tuple',
        },
      ],
      name: 'AddFeeAmount',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [{ indexed: true, internalType: 'bytes32', name: 'blockchainID', type: 'bytes32' }],
      name: 'BlockchainIDInitialized',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { indexed: true, internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
      ],
      name: 'MessageExecuted',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { indexed: true, internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        {
          components: [
            { internalType: 'uint256', name: 'messageNonce', type: 'uint256' },
            { internalType: 'address', name: 'originSenderAddress', type: 'address' },
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            {
              components: [
                { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
                { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
              ],
              internalType: 'struct TeleporterMessageReceipt[]',
              name: 'receipts',
              type: 'tuple[]',
            },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          indexed: false,
          internalType: 'struct TeleporterMessage',
          name: 'message',
          type: 'tuple',
        },
      ],
      name: 'MessageExecutionFailed',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { indexed: true, internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
        { indexed: true, internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
        {
          components: [
            { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
            { internalType: 'uint256', name: 'amount', type: 'uint256' },
          ],
          indexed: false,
          internalType: 'struct TeleporterFeeInfo',
          name: 'feeInfo',
          type: 'tuple',
        },
      ],
      name: 'ReceiptReceived',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { indexed: true, internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { indexed: true, internalType: 'address', name: 'deliverer', type: 'address' },
        { indexed: false, internalType: 'address', name: 'rewardRedeemer', type: 'address' },
        {
          components: [
            { internalType: 'uint256', name: 'messageNonce', type: 'uint256' },
            { internalType: 'address', name: 'originSenderAddress', type: 'address' },
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            {
              components: [
                { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
                { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
              ],
              internalType: 'struct TeleporterMessageReceipt[]',
              name: 'receipts',
              type: 'tuple[]',
            },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          indexed: false,
          internalType: 'struct TeleporterMessage',
          name: 'message',
          type: 'tuple',
        },
      ],
      name: 'ReceiveCrossChainMessage',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'redeemer', type: 'address' },
        { indexed: true, internalType: 'address', name: 'asset', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'amount', type: 'uint256' },
      ],
      name: 'RelayerRewardsRedeemed',
      type: 'event',
    },
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { indexed: true, internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
        {
          components: [
            { internalType: 'uint256', name: 'messageNonce', type: 'uint256' },
            { internalType: 'address', name: 'originSenderAddress', type: 'address' },
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            {
              components: [
                { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
                { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
              ],
              internalType: 'struct TeleporterMessageReceipt[]',
              name: 'receipts',
              type: 'tuple[]',
            },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          indexed: false,
          internalType: 'struct TeleporterMessage',
          name: 'message',
          type: 'tuple',
        },
        {
          components: [
            { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
            { internalType: 'uint256', name: 'amount', type: 'uint256' },
          ],
          indexed: false,
          internalType: 'struct TeleporterFeeInfo',
          name: 'feeInfo',
          type: 'tuple',
        },
      ],
      name: 'SendCrossChainMessage',
      type: 'event',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'messageID', type: 'bytes32' },
        { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
        { internalType: 'uint256', name: 'additionalFeeAmount', type: 'uint256' },
      ],
      name: 'addFeeAmount',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'blockchainID',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
        { internalType: 'uint256', name: 'nonce', type: 'uint256' },
      ],
      name: 'calculateMessageID',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'relayer', type: 'address' },
        { internalType: 'address', name: 'feeAsset', type: 'address' },
      ],
      name: 'checkRelayerRewardAmount',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'getFeeInfo',
      outputs: [
        { internalType: 'address', name: '', type: 'address' },
        { internalType: 'uint256', name: '', type: 'uint256' },
      ],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'getMessageHash',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' }],
      name: 'getNextMessageID',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { internalType: 'uint256', name: 'index', type: 'uint256' },
      ],
      name: 'getReceiptAtIndex',
      outputs: [
        {
          components: [
            { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
            { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
          ],
          internalType: 'struct TeleporterMessageReceipt',
          name: '',
          type: 'tuple',
        },
      ],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' }],
      name: 'getReceiptQueueSize',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'getRelayerRewardAddress',
      outputs: [{ internalType: 'address', name: '', type: 'address' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [],
      name: 'initializeBlockchainID',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'messageNonce',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'messageReceived',
      outputs: [{ internalType: 'bool', name: '', type: 'bool' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'uint32', name: 'messageIndex', type: 'uint32' },
        { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
      ],
      name: 'receiveCrossChainMessage',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'receivedFailedMessageHashes',
      outputs: [{ internalType: 'bytes32', name: '', type: 'bytes32' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'address', name: 'feeAsset', type: 'address' }],
      name: 'redeemRelayerRewards',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        {
          components: [
            { internalType: 'uint256', name: 'messageNonce', type: 'uint256' },
            { internalType: 'address', name: 'originSenderAddress', type: 'address' },
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            {
              components: [
                { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
                { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
              ],
              internalType: 'struct TeleporterMessageReceipt[]',
              name: 'receipts',
              type: 'tuple[]',
            },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          internalType: 'struct TeleporterMessage',
          name: 'message',
          type: 'tuple',
        },
      ],
      name: 'retryMessageExecution',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        {
          components: [
            { internalType: 'uint256', name: 'messageNonce', type: 'uint256' },
            { internalType: 'address', name: 'originSenderAddress', type: 'address' },
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            {
              components: [
                { internalType: 'uint256', name: 'receivedMessageNonce', type: 'uint256' },
                { internalType: 'address', name: 'relayerRewardAddress', type: 'address' },
              ],
              internalType: 'struct TeleporterMessageReceipt[]',
              name: 'receipts',
              type: 'tuple[]',
            },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          internalType: 'struct TeleporterMessage',
          name: 'message',
          type: 'tuple',
        },
      ],
      name: 'retrySendCrossChainMessage',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        {
          components: [
            { internalType: 'bytes32', name: 'destinationBlockchainID', type: 'bytes32' },
            { internalType: 'address', name: 'destinationAddress', type: 'address' },
            {
              components: [
                { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
                { internalType: 'uint256', name: 'amount', type: 'uint256' },
              ],
              internalType: 'struct TeleporterFeeInfo',
              name: 'feeInfo',
              type: 'tuple',
            },
            { internalType: 'uint256', name: 'requiredGasLimit', type: 'uint256' },
            { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
            { internalType: 'bytes', name: 'message', type: 'bytes' },
          ],
          internalType: 'struct TeleporterMessageInput',
          name: 'messageInput',
          type: 'tuple',
        },
      ],
      name: 'sendCrossChainMessage',
      outputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'bytes32', name: 'sourceBlockchainID', type: 'bytes32' },
        { internalType: 'bytes32[]', name: 'messageIDs', type: 'bytes32[]' },
        {
          components: [
            { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
            { internalType: 'uint256', name: 'amount', type: 'uint256' },
          ],
          internalType: 'struct TeleporterFeeInfo',
          name: 'feeInfo',
          type: 'tuple',
        },
        { internalType: 'address[]', name: 'allowedRelayerAddresses', type: 'address[]' },
      ],
      name: 'sendSpecifiedReceipts',
      outputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      name: 'sentMessageInfo',
      outputs: [
        { internalType: 'bytes32', name: 'messageHash', type: 'bytes32' },
        {
          components: [
            { internalType: 'address', name: 'feeTokenAddress', type: 'address' },
            { internalType: 'uint256', name: 'amount', type: 'uint256' },
          ],
          internalType: 'struct TeleporterFeeInfo',
          name: 'feeInfo',
          type: 'tuple',
        },
      ],
      stateMutability: 'view',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b50612cf78061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610132575f3560e01c80638ac0fd04116100b4578063d127dc9b11610079578063d127dc9b146102fe578063df20e8bc14610306578063e69d606a14610319578063ebc3b1ba1461036c578063ecc704281461039d578063fc2d6197146103a6575f5ffd5b80638ac0fd041461027a578063a88981811461028d578063a9a85614146102a0578063c473eef8146102b3578063ccb5f809146102eb575f5ffd5b8063399b77da116100fa578063399b77da146101f657806362448850146102155780638245a1b014610228578063860a3b061461023b578063892bf4121461025a575f5ffd5b80630af5b4ff1461013657806322296c3a146101515780632bc8b0bf146101665780632ca40f55146101795780632e27c223146101cb575b5f5ffd5b61013e6103b9565b6040519081526020015b60405180910390f35b61016461015f366004611d07565b61045b565b005b61013e610174366004611d22565b610563565b6101bd610187366004611d22565b600260208181525f9283526040928390208054845180860190955260018201546001600160a01b03168552920154908301529082565b604051610148929190611d39565b6101de6101d9366004611d22565b610588565b6040516001600160a01b039091168152602001610148565b61013e610204366004611d22565b5f9081526002602052604090205490565b61013e610223366004611d60565b6105fb565b610164610236366004611dad565b61065d565b61013e610249366004611d22565b60036020525f908152604090205481565b61026d610268366004611dde565b610833565b6040516101489190611dfe565b610164610288366004611e1e565b6108f4565b61013e61029b366004611e53565b610a53565b61013e6102ae366004611ec3565b610a95565b61013e6102c1366004611f55565b6001600160a01b039182165f90815260066020908152604080832093909416825291909152205490565b6101646102f9366004611f8c565b610d33565b61013e5f5481565b61013e610314366004611d22565b611181565b61034d610327366004611d22565b5f90815260026020819052604090912060018101549101546001600160a01b0390911691565b604080516001600160a01b039093168352602083019190915201610148565b61038d61037a366004611d22565b5f90815260046020526040902054151590565b6040519015158152602001610148565b61013e60015481565b6101646103b4366004611fb0565b6111f2565b5f80548103610455576005600160991b016001600160a01b0316634213cf786040518163ffffffff1660e01b8152600401602060405180830381865afa158015610405573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906104299190611ff3565b5f8181556040517f1eac640109dc937d2a9f42735a05f794b39a5e3759d681951d671aabbce4b1049190a25b505f5490565b335f9081526006602090815260408083206001600160a01b0385168452909152902054806104bd5760405162461bcd60e51b815260206004820152600a6024820152696e6f207265776172647360b01b60448201526064015b60405180910390fd5b335f8181526006602090815260408083206001600160a01b03871680855290835281842093909355518481529192917f3294c84e5b0f29d9803655319087207bc94f4db29f7927846944822773780b88910160405180910390a36040513360248201526044810182905261055f90839060640160408051601f198184030181529190526020810180516001600160e01b031663a9059cbb60e01b17905261143b565b5050565b5f81815260056020526040812080546001820154610581919061201e565b9392505050565b5f818152600460205260408120546105dd5760405162461bcd60e51b81526020600482015260186024820152771b9bc81cdd58da081b595cdcd859d9481c9958d95a5d995960421b60448201526064016104b4565b505f908152600460205260409020600101546001600160a01b031690565b5f60ff815c161561061e5760405162461bcd60e51b81526004016104b490612031565b60015f805c60ff19168217905d505f6106378335611503565b905061064b6106458461224c565b8261163e565b9150505f60ff19815c16815d50919050565b60ff5f5c161561067f5760405162461bcd60e51b81526004016104b490612031565b60015f805c60ff19168217905d505f6106a56106996103b9565b60408401358435610a53565b5f81815260026020526040812080549293509190036106d65760405162461bcd60e51b81526004016104b4906122ef565b826040516020016106e7919061257a565b60405160208183030381529060405280519060200120815f01541461074e5760405162461bcd60e51b815260206004820152601d60248201527f6e6f7420746865206d6573736167652074686174207761732073656e7400000060448201526064016104b4565b8260400135827f2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8858460010160405161078892919061258c565b60405180910390a36005600160991b016001600160a01b031663ee5b48eb846040516020016107b7919061257a565b6040516020818303038152906040526040518263ffffffff1660e01b81526004016107e291906125ed565b6020604051808303815f875af11580156107fe573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906108229190611ff3565b505f91505060ff19815c16815d5050565b604080518082019091525f80825260208201525f83815260056020526040902080546001820154610864919061201e565b83106108a45760405162461bcd60e51b815260206004820152600f60248201526e1b9bc81cdd58da081c9958d95a5c1d608a1b60448201526064016104b4565b806002015f84835f01546108b891906125ff565b815260208082019290925260409081015f20815180830190925280548252600101546001600160a01b0316918101919091529150505b92915050565b60ff5f5c16156109165760405162461bcd60e51b81526004016104b490612031565b60015f805c60ff19168217905d505f81116109635760405162461bcd60e51b815260206004820152600d60248201526c1b9bc8199959481d1bc8185919609a1b60448201526064016104b4565b5f83815260026020526040812080549091036109915760405162461bcd60e51b81526004016104b4906122ef565b60018101546001600160a01b038481169116146109e45760405162461bcd60e51b815260206004820152601160248201527030b737ba3432b9103332b2903a37b5b2b760791b60448201526064016104b4565b6109ee838361182d565b6002820180545f90610a019084906125ff565b92505081905550837fc1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e182600101604051610a3b9190612612565b60405180910390a2505f60ff19815c16815d50505050565b6040805130602082015290810184905260608101839052608081018290525f9060a0016040516020818303038152906040528051906020012090509392505050565b5f60ff815c1615610ab85760405162461bcd60e51b81526004016104b490612031565b60015f805c60ff19168217905d505f610acf6103b9565b90505f866001600160401b03811115610aea57610aea61205a565b604051908082528060200260200182016040528015610b2e57816020015b604080518082019091525f8082526020820152815260200190600190039081610b085790505b5090505f5b87811015610c9a575f60045f8b8b85818110610b5157610b51612632565b9050602002013581526020019081526020015f209050610b968a8a84818110610b7c57610b7c612632565b905060200201355f90815260046020526040902054151590565b610bdd5760405162461bcd60e51b81526020600482015260186024820152771b9bc81cdd58da081b595cdcd859d9481c9958d95a5d995960421b60448201526064016104b4565b898983818110610bef57610bef612632565b90506020020135610c048c86845f0154610a53565b14610c515760405162461bcd60e51b815260206004820152601b60248201527f72656365697665642066726f6d20616e6f7468657220636861696e000000000060448201526064016104b4565b604080518082019091528154815260018201546001600160a01b031660208201528351849084908110610c8657610c86612632565b602090810291909101015250600101610b33565b506040805160c0810182528a81525f6020820152610d1b918101610cc3368a90038a018a612646565b81526020015f81526020018787808060200260200160405190810160405280939291908181526020018383602002808284375f920182905250938552505060408051602081810190925292835290920152508261163e565b925050505f60ff19815c16815d509695505050505050565b60ff6101005f5c041615610d7d5760405162461bcd60e51b8152602060048201526011602482015270726563656976696e6720616c726561647960781b60448201526064016104b4565b600161ff00195f805c9190911661010017905d506040516306f8253560e41b815263ffffffff831660048201525f9081906005600160991b0190636f825350906024015f60405180830381865afa158015610dda573d5f5f3e3d5ffd5b505050506040513d5f823e601f3d908101601f19168201604052610e0191908101906126c7565b9150915080610e415760405162461bcd60e51b815260206004820152600c60248201526b1b9bdd081d995c9a599a595960a21b60448201526064016104b4565b60208201516001600160a01b03163014610e955760405162461bcd60e51b81526020600482015260156024820152743737ba1037b3103a3434b99036b2b9b9b2b733b2b960591b60448201526064016104b4565b6001600160a01b038316610ede5760405162461bcd60e51b815260206004820152601060248201526f1b9bd89bd91e481d1bc81c995dd85c9960821b60448201526064016104b4565b5f8260400151806020019051810190610ef7919061286e565b83519091505f610f056103b9565b905080836040015114610f4e5760405162461bcd60e51b81526020600482015260116024820152703337b91030b737ba3432b91031b430b4b760791b60448201526064016104b4565b610f5c338460a001516119a6565b610fa15760405162461bcd60e51b81526020600482015260166024820152753737ba1030b71030b63637bbb2b2103932b630bcb2b960511b60448201526064016104b4565b5f610fb08383865f0151610a53565b5f81815260046020526040902054909150156110015760405162461bcd60e51b815260206004820152601060248201526f726563656976656420616c726561647960801b60448201526064016104b4565b604080518082018252855181526001600160a01b0389811660208084019182525f86815260049091529384209251835551600190920180546001600160a01b031916929091169190911790555b8460c001515181101561108a57611082848660c00151838151811061107557611075612632565b60200260200101516119ff565b60010161104e565b505f8381526005602090815260408083208151808301909252875182526001600160a01b038b169282019290925260018201805492939192600285019291826110d28361296d565b90915550815260208082019290925260409081015f20835181559290910151600190920180546001600160a01b0319166001600160a01b0390931692909217909155513390859084907f292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e349061114a908d908b90612ab2565b60405180910390a460e0850151511561116857611168828587611b1e565b505f95505061ff0019855c16935084925050505d505050565b5f805481036111dd5760405162461bcd60e51b815260206004820152602260248201527f74686520626c6f636b636861696e206964206973206e6f74206b6e6f776e2079604482015261195d60f21b60648201526084016104b4565b6108ee5f5483600154600161029b91906125ff565b60ff6101005f5c04161561123c5760405162461bcd60e51b8152602060048201526011602482015270726563656976696e6720616c726561647960781b60448201526064016104b4565b600161ff00195f805c9190911661010017905d505f6112648361125d6103b9565b8435610a53565b5f818152600360205260408120549192508190036112c45760405162461bcd60e51b815260206004820152601b60248201527f6e6f2073756368206d6573736167652074686174206661696c6564000000000060448201526064016104b4565b826040516020016112d5919061257a565b6040516020818303038152906040528051906020012081146113395760405162461bcd60e51b815260206004820152601b60248201527f6e6f7420746865206d6573736167652074686174206661696c6564000000000060448201526064016104b4565b5f61134a6080850160608601611d07565b6001600160a01b03163b116113a15760405162461bcd60e51b815260206004820152601e60248201527f6e6f20636f6e7472616374206174207468652064657374696e6174696f6e000060448201526064016104b4565b5f8281526003602052604080822082905551859184917f34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c9190a36113ee846113e885612b62565b5a611c34565b6114295760405162461bcd60e51b815260206004820152600c60248201526b3330b4b632b21030b3b0b4b760a11b60448201526064016104b4565b505f905061ff0019815c16815d505050565b5f5f836001600160a01b0316836040516114559190612c39565b5f604051808303815f865af19150503d805f811461148e576040519150601f19603f3d011682016040523d82523d5f602084013e611493565b606091505b50915091508180156114bd5750805115806114bd5750808060200190518101906114bd9190612c4f565b6114fd5760405162461bcd60e51b815260206004820152601160248201527074686520746f6b656e207265667573657360781b60448201526064016104b4565b50505050565b5f81815260056020526040812080546001820154606093916115249161201e565b905060058110611535576005611537565b805b6001600160401b0381111561154e5761154e61205a565b60405190808252806020026020018201604052801561159257816020015b604080518082019091525f808252602082015281526020019060019003908161156c5790505b5092505f5b83518110156116365782545f908152600284016020908152604091829020825180840190935280548352600101546001600160a01b03169082015284518590839081106115e6576115e6612632565b6020908102919091010152825460028401905f9085826116058361296d565b90915550815260208101919091526040015f908120908155600190810180546001600160a01b031916905501611597565b505050919050565b5f5f6116486103b9565b90505f60405180610100016040528060015f81546116659061296d565b9190508190558152602001336001600160a01b03168152602001865f0151815260200186602001516001600160a01b0316815260200186606001518152602001866080015181526020018581526020018660a0015181525090505f856040015190505f816020015111156116ea576116e4815f0151826020015161182d565b60208201525b6116fc838360400151845f0151610a53565b93505f826040516020016117109190612c68565b60408051808303601f190181528282018252805160208083019190912084528084018681525f8a815260028084529085902095518655905180516001870180546001600160a01b0319166001600160a01b03909216919091179055909101519301929092558481015190519192509086907f2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8906117b09087908790612c7a565b60405180910390a360405163ee5b48eb60e01b81526005600160991b019063ee5b48eb906117e29084906004016125ed565b6020604051808303815f875af11580156117fe573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906118229190611ff3565b505050505092915050565b5f6001600160a01b0383166118735760405162461bcd60e51b815260206004820152600c60248201526b3737903332b2903a37b5b2b760a11b60448201526064016104b4565b6040516370a0823160e01b81523060048201525f906001600160a01b038516906370a0823190602401602060405180830381865afa1580156118b7573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906118db9190611ff3565b6040513360248201523060448201526064810185905290915061192c90859060840160408051601f198184030181529190526020810180516001600160e01b03166323b872dd60e01b17905261143b565b6040516370a0823160e01b815230600482015281906001600160a01b038616906370a0823190602401602060405180830381865afa158015611970573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906119949190611ff3565b61199e919061201e565b949350505050565b5f805b82518110156119f657836001600160a01b03168382815181106119ce576119ce612632565b60200260200101516001600160a01b0316036119ee5760019150506108ee565b6001016119a9565b50505115919050565b5f611a0f5f5484845f0151610a53565b5f8181526002602081815260408084208151808301835281548152825180840190935260018201546001600160a01b0316835293015481830152908201528051929350919003611a5f5750505050565b5f8281526002602081815260408084208481556001810180546001600160a01b03191690559092018390558381018051820151878301516001600160a01b039081168652600684528486209251511685529152908220805491929091611ac69084906125ff565b9250508190555082602001516001600160a01b031684837fd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf578460200151604051611b109190612cae565b60405180910390a450505050565b80608001515a1015611b635760405162461bcd60e51b815260206004820152600e60248201526d746f6f206c6974746c652067617360901b60448201526064016104b4565b5f81606001516001600160a01b03163b118015611b8a5750611b8a82828360800151611c34565b15611bc057604051829084907f34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c905f90a3505050565b80604051602001611bd19190612c68565b60408051601f1981840301815282825280516020918201205f878152600390925291902055829084907f4619adc1017b82e02eaefac01a43d50d6d8de4460774bc370c3ff0210d40c98590611c27908590612c68565b60405180910390a3505050565b5f82606001516001600160a01b0316828585602001518660e00151604051602401611c6193929190612cce565b60408051601f198184030181529181526020820180516001600160e01b031663643477d560e11b17905251611c969190612c39565b5f604051808303815f8787f1925050503d805f8114611cd0576040519150601f19603f3d011682016040523d82523d5f602084013e611cd5565b606091505b509095945050505050565b6001600160a01b0381168114611cf4575f5ffd5b50565b8035611d0281611ce0565b919050565b5f60208284031215611d17575f5ffd5b813561058181611ce0565b5f60208284031215611d32575f5ffd5b5035919050565b82815260608101610581602083018480516001600160a01b03168252602090810151910152565b5f60208284031215611d70575f5ffd5b81356001600160401b03811115611d85575f5ffd5b820160e08185031215610581575f5ffd5b5f6101008284031215611da7575f5ffd5b50919050565b5f60208284031215611dbd575f5ffd5b81356001600160401b03811115611dd2575f5ffd5b61199e84828501611d96565b5f5f60408385031215611def575f5ffd5b50508035926020909101359150565b815181526020808301516001600160a01b031690820152604081016108ee565b5f5f5f60608486031215611e30575f5ffd5b833592506020840135611e4281611ce0565b929592945050506040919091013590565b5f5f5f60608486031215611e65575f5ffd5b505081359360208301359350604090920135919050565b5f5f83601f840112611e8c575f5ffd5b5081356001600160401b03811115611ea2575f5ffd5b6020830191508360208260051b8501011115611ebc575f5ffd5b9250929050565b5f5f5f5f5f5f86880360a0811215611ed9575f5ffd5b8735965060208801356001600160401b03811115611ef5575f5ffd5b611f018a828b01611e7c565b9097509550506040603f1982011215611f18575f5ffd5b5060408701925060808701356001600160401b03811115611f37575f5ffd5b611f4389828a01611e7c565b979a9699509497509295939492505050565b5f5f60408385031215611f66575f5ffd5b8235611f7181611ce0565b91506020830135611f8181611ce0565b809150509250929050565b5f5f60408385031215611f9d575f5ffd5b823563ffffffff81168114611f71575f5ffd5b5f5f60408385031215611fc1575f5ffd5b8235915060208301356001600160401b03811115611fdd575f5ffd5b611fe985828601611d96565b9150509250929050565b5f60208284031215612003575f5ffd5b5051919050565b634e487b7160e01b5f52601160045260245ffd5b818103818111156108ee576108ee61200a565b6020808252600f908201526e73656e64696e6720616c726561647960881b604082015260600190565b634e487b7160e01b5f52604160045260245ffd5b604080519081016001600160401b03811182821017156120905761209061205a565b60405290565b60405160c081016001600160401b03811182821017156120905761209061205a565b60405161010081016001600160401b03811182821017156120905761209061205a565b604051601f8201601f191681016001600160401b03811182821017156121035761210361205a565b604052919050565b5f6040828403121561211b575f5ffd5b61212361206e565b9050813561213081611ce0565b815260209182013591810191909152919050565b5f6001600160401b0382111561215c5761215c61205a565b5060051b60200190565b5f82601f830112612175575f5ffd5b813561218861218382612144565b6120db565b8082825260208201915060208360051b8601019250858311156121a9575f5ffd5b602085015b838110156121cf5780356121c181611ce0565b8352602092830192016121ae565b5095945050505050565b5f6001600160401b038211156121f1576121f161205a565b50601f01601f191660200190565b5f82601f83011261220e575f5ffd5b813561221c612183826121d9565b818152846020838601011115612230575f5ffd5b816020850160208301375f918101602001919091529392505050565b5f60e0823603121561225c575f5ffd5b612264612096565b8235815261227460208401611cf7565b6020820152612286366040850161210b565b60408201526080830135606082015260a08301356001600160401b038111156122ad575f5ffd5b6122b936828601612166565b60808301525060c08301356001600160401b038111156122d7575f5ffd5b6122e3368286016121ff565b60a08301525092915050565b60208082526028908201527f6e6f2073756368206d6573736167652c206f7220697473207265636569707420604082015267697320746865726560c01b606082015260800190565b5f5f8335601e1984360301811261234c575f5ffd5b83016020810192503590506001600160401b0381111561236a575f5ffd5b8060051b3603821315611ebc575f5ffd5b8183526020830192505f815f5b848110156123b957813561239b81611ce0565b6001600160a01b031686526020958601959190910190600101612388565b5093949350505050565b5f5f8335601e198436030181126123d8575f5ffd5b83016020810192503590506001600160401b038111156123f6575f5ffd5b8060061b3603821315611ebc575f5ffd5b8183526020830192505f815f5b848110156123b95781358652602082013561242e81611ce0565b6001600160a01b031660208701526040958601959190910190600101612414565b5f5f8335601e19843603018112612464575f5ffd5b83016020810192503590506001600160401b03811115612482575f5ffd5b803603821315611ebc575f5ffd5b81835281816020850137505f828201602090810191909152601f909101601f19169091010190565b803582525f6124c960208301611cf7565b6001600160a01b03166020840152604082810135908401526124ed60608301611cf7565b6001600160a01b031660608401526080828101359084015261251260a0830183612337565b61010060a08601526125296101008601828461237b565b91505061253960c08401846123c3565b85830360c087015261254c838284612407565b9250505061255d60e084018461244f565b85830360e0870152612570838284612490565b9695505050505050565b602081525f61058160208301846124b8565b606081525f61259e60608301856124b8565b83546001600160a01b03166020840152600184015460408401529050610581565b5f81518084528060208401602086015e5f602082860101526020601f19601f83011685010191505092915050565b602081525f61058160208301846125bf565b808201808211156108ee576108ee61200a565b81546001600160a01b0316815260018201546020820152604081016108ee565b634e487b7160e01b5f52603260045260245ffd5b5f60408284031215612656575f5ffd5b610581838361210b565b8051611d0281611ce0565b5f82601f83011261267a575f5ffd5b8151612688612183826121d9565b81815284602083860101111561269c575f5ffd5b8160208501602083015e5f918101602001919091529392505050565b80518015158114611d02575f5ffd5b5f5f604083850312156126d8575f5ffd5b82516001600160401b038111156126ed575f5ffd5b8301606081860312156126fe575f5ffd5b604051606081016001600160401b03811182821017156127205761272061205a565b60405281518152602082015161273581611ce0565b602082015260408201516001600160401b03811115612752575f5ffd5b61275e8782850161266b565b60408301525092506127749050602084016126b8565b90509250929050565b5f82601f83011261278c575f5ffd5b815161279a61218382612144565b8082825260208201915060208360051b8601019250858311156127bb575f5ffd5b602085015b838110156121cf5780516127d381611ce0565b8352602092830192016127c0565b5f82601f8301126127f0575f5ffd5b81516127fe61218382612144565b8082825260208201915060208360061b86010192508583111561281f575f5ffd5b602085015b838110156121cf576040818803121561283b575f5ffd5b61284361206e565b81518152602082015161285581611ce0565b6020828101919091529084529290920191604001612824565b5f6020828403121561287e575f5ffd5b81516001600160401b03811115612893575f5ffd5b820161010081850312156128a5575f5ffd5b6128ad6120b8565b815181526128bd60208301612660565b6020820152604082810151908201526128d860608301612660565b60608201526080828101519082015260a08201516001600160401b038111156128ff575f5ffd5b61290b8682850161277d565b60a08301525060c08201516001600160401b03811115612929575f5ffd5b612935868285016127e1565b60c08301525060e08201516001600160401b03811115612953575f5ffd5b61295f8682850161266b565b60e083015250949350505050565b5f6001820161297e5761297e61200a565b5060010190565b5f8151808452602084019350602083015f5b828110156123b95781516001600160a01b0316865260209586019590910190600101612997565b5f8151808452602084019350602083015f5b828110156123b9576129f6868351805182526020908101516001600160a01b0316910152565b60409590950194602091909101906001016129d0565b805182525f6020820151612a2b60208501826001600160a01b03169052565b50604082015160408401526060820151612a5060608501826001600160a01b03169052565b506080820151608084015260a082015161010060a0850152612a76610100850182612985565b905060c083015184820360c0860152612a8f82826129be565b91505060e083015184820360e0860152612aa982826125bf565b95945050505050565b6001600160a01b03831681526040602082018190525f9061199e90830184612a0c565b5f82601f830112612ae4575f5ffd5b8135612af261218382612144565b8082825260208201915060208360061b860101925085831115612b13575f5ffd5b602085015b838110156121cf5760408188031215612b2f575f5ffd5b612b3761206e565b813581526020820135612b4981611ce0565b6020828101919091529084529290920191604001612b18565b5f6101008236031215612b73575f5ffd5b612b7b6120b8565b82358152612b8b60208401611cf7565b602082015260408381013590820152612ba660608401611cf7565b60608201526080838101359082015260a08301356001600160401b03811115612bcd575f5ffd5b612bd936828601612166565b60a08301525060c08301356001600160401b03811115612bf7575f5ffd5b612c0336828601612ad5565b60c08301525060e08301356001600160401b03811115612c21575f5ffd5b612c2d368286016121ff565b60e08301525092915050565b5f82518060208501845e5f920191825250919050565b5f60208284031215612c5f575f5ffd5b610581826126b8565b602081525f6105816020830184612a0c565b606081525f612c8c6060830185612a0c565b9050610581602083018480516001600160a01b03168252602090810151910152565b81516001600160a01b0316815260208083015190820152604081016108ee565b8381526001600160a01b03831660208201526060604082018190525f90612aa9908301846125bf56',
} as const;

export const RevertingErc20 = {
  abi: [
    {
      anonymous: false,
      inputs: [
        { indexed: true, internalType: 'address', name: 'from', type: 'address' },
        { indexed: true, internalType: 'address', name: 'to', type: 'address' },
        { indexed: false, internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'Transfer',
      type: 'event',
    },
    {
      inputs: [],
      name: 'decimals',
      outputs: [{ internalType: 'uint256', name: '', type: 'uint256' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [],
      name: 'name',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [],
      name: 'symbol',
      outputs: [{ internalType: 'string', name: '', type: 'string' }],
      stateMutability: 'pure',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'to', type: 'address' },
        { internalType: 'uint256', name: 'value', type: 'uint256' },
      ],
      name: 'transfer',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506101a38061001c5f395ff3fe608060405234801561000f575f5ffd5b506004361061004a575f3560e01c806306fdde031461004e578063313ce5671461006c57806395d89b411461007b578063a9059cbb14610082575b5f5ffd5b610056610097565b6040516100639190610139565b60405180910390f35b6040515f198152602001610063565b6100565f5ffd5b61009561009036600461016e565b6100f5565b005b60405162461bcd60e51b815260206004820152602660248201527f72617465206c696d69742065786365656465642c20746f6f206d616e7920726560448201526571756573747360d01b606482015260609060840160405180910390fd5b6040518181526001600160a01b0383169033907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9060200160405180910390a35050565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f83011684010191505092915050565b5f5f6040838503121561017f575f5ffd5b82356001600160a01b0381168114610195575f5ffd5b94602093909301359350505056',
} as const;

export const Splitter = {
  abi: [
    { inputs: [], name: 'burnGas', outputs: [], stateMutability: 'payable', type: 'function' },
    {
      inputs: [{ internalType: 'address', name: 'implementation', type: 'address' }],
      name: 'callCode',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes32', name: 'salt', type: 'bytes32' }],
      name: 'create',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'address payable', name: 'heir', type: 'address' }],
      name: 'createAndDestroy',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [],
      name: 'created',
      outputs: [{ internalType: 'address', name: '', type: 'address' }],
      stateMutability: 'view',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'implementation', type: 'address' },
        { internalType: 'address[]', name: 'receivers', type: 'address[]' },
      ],
      name: 'delegate',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'address payable[]', name: 'path', type: 'address[]' }],
      name: 'passOn',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'refusing', type: 'address' },
        { internalType: 'address', name: 'receiver', type: 'address' },
      ],
      name: 'payBoth',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'address[]', name: 'receivers', type: 'address[]' }],
      name: 'split',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    {
      inputs: [
        { internalType: 'address', name: 'refusing', type: 'address' },
        { internalType: 'address', name: 'receiver', type: 'address' },
      ],
      name: 'tryPay',
      outputs: [],
      stateMutability: 'payable',
      type: 'function',
    },
    { stateMutability: 'payable', type: 'receive' },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506109468061001c5f395ff3fe608060405260043610610092575f3560e01c806394e4a8221161005757806394e4a82214610125578063a04fda0314610138578063b9554c591461014b578063c66764e114610153578063ffd79add14610166575f5ffd5b8063325a19f11461009d5780633cfe773c146100d75780635244e834146100ec5780637368a8ce146100ff57806373f0f12b14610112575f5ffd5b3661009957005b5f5ffd5b3480156100a8575f5ffd5b505f546100bb906001600160a01b031681565b6040516001600160a01b03909116815260200160405180910390f35b6100ea6100e53660046106ba565b610179565b005b6100ea6100fa36600461070b565b610255565b6100ea61010d36600461072d565b6102d7565b6100ea610120366004610744565b610366565b6100ea61013336600461077b565b61046f565b6100ea610146366004610744565b6104ba565b6100ea6104dc565b6100ea61016136600461070b565b6104eb565b6100ea61017436600461077b565b6104fa565b5f836001600160a01b031683836040516024016101979291906107ba565b60408051601f198184030181529181526020820180516001600160e01b0316634a72541160e11b179052516101cc9190610806565b5f60405180830381855af49150503d805f8114610204576040519150601f19603f3d011682016040523d82523d5f602084013e610209565b606091505b505090508061024f5760405162461bcd60e51b815260206004820152600d60248201526c1b9bdd0819195b1959d85d1959609a1b60448201526064015b60405180910390fd5b50505050565b346040516102629061064f565b6040518091039082f090508015801561027d573d5f5f3e3d5ffd5b5060405162f55d9d60e01b81526001600160a01b038381166004830152919091169062f55d9d906024015f604051808303815f87803b1580156102be575f5ffd5b505af11580156102d0573d5f5f3e3d5ffd5b5050505050565b6102e260023461081c565b6040516102ee9061064f565b6040518091039082f0905080158015610309573d5f5f3e3d5ffd5b50610317905060023461081c565b81906040516103259061064f565b82906040518091039083f591505080158015610343573d5f5f3e3d5ffd5b505f80546001600160a01b0319166001600160a01b039290921691909117905550565b3063a04fda0361037760023461081c565b6040516001600160e01b031960e084901b1681526001600160a01b038087166004830152851660248201526044015f604051808303818588803b1580156103bc575f5ffd5b505af1935050505080156103ce575060015b505f6001600160a01b0383166103e560043461081c565b6040515f81818185875af1925050503d805f811461041e576040519150601f19603f3d011682016040523d82523d5f602084013e610423565b606091505b5050905080156104605760405162461bcd60e51b81526020600482015260086024820152671dd85cc81c185a5960c21b6044820152606401610246565b61046a33476105c5565b505050565b5f5b8181101561046a576104b283838381811061048e5761048e61083b565b90506020020160208101906104a3919061070b565b6104ad843461081c565b6105c5565b600101610471565b6104c9816104ad60023461081c565b6104d8826104ad60023461081c565b5050565b6104e6335f6105c5565b6104dc565b5f5f5f5f60023404855af25050565b6001819003610533576104d882825f8181106105185761051861083b565b905060200201602081019061052d919061070b565b346105c5565b81815f8181106105455761054561083b565b905060200201602081019061055a919061070b565b6001600160a01b031663ffd79add34610576846001818861084f565b6040518463ffffffff1660e01b815260040161059392919061087a565b5f604051808303818588803b1580156105aa575f5ffd5b505af11580156105bc573d5f5f3e3d5ffd5b50505050505050565b5f826001600160a01b0316826040515f6040518083038185875af1925050503d805f811461060e576040519150601f19603f3d011682016040523d82523d5f602084013e610613565b606091505b505090508061046a5760405162461bcd60e51b81526020600482015260086024820152671b9bdd081c185a5960c21b6044820152606401610246565b6089806108bd83390190565b6001600160a01b038116811461066f575f5ffd5b50565b5f5f83601f840112610682575f5ffd5b50813567ffffffffffffffff811115610699575f5ffd5b6020830191508360208260051b85010111156106b3575f5ffd5b9250929050565b5f5f5f604084860312156106cc575f5ffd5b83356106d78161065b565b9250602084013567ffffffffffffffff8111156106f2575f5ffd5b6106fe86828701610672565b9497909650939450505050565b5f6020828403121561071b575f5ffd5b81356107268161065b565b9392505050565b5f6020828403121561073d575f5ffd5b5035919050565b5f5f60408385031215610755575f5ffd5b82356107608161065b565b915060208301356107708161065b565b809150509250929050565b5f5f6020838503121561078c575f5ffd5b823567ffffffffffffffff8111156107a2575f5ffd5b6107ae85828601610672565b90969095509350505050565b602080825281018290525f8360408301825b858110156107fc5782356107df8161065b565b6001600160a01b03168252602092830192909101906001016107cc565b5095945050505050565b5f82518060208501845e5f920191825250919050565b5f8261083657634e487b7160e01b5f52601260045260245ffd5b500490565b634e487b7160e01b5f52603260045260245ffd5b5f5f8585111561085d575f5ffd5b83861115610869575f5ffd5b5050600583901b0193919092039150565b602080825281018290525f8360408301825b858110156107fc57823561089f8161065b565b6001600160a01b031682526020928301929091019060010161088c56fe6080604052607a80600f5f395ff3fe608060405260043610601d575f3560e01c8062f55d9d146027575f5ffd5b36602357005b5f5ffd5b3480156031575f5ffd5b506041603d366004604f565b6043565b005b806001600160a01b0316ff5b5f60208284031215605e575f5ffd5b81356001600160a01b03811681146073575f5ffd5b939250505056',
} as const;

export const ValidatorManager = {
  abi: [
    {
      anonymous: false,
      inputs: [{ indexed: false, internalType: 'bytes', name: 'payload', type: 'bytes' }],
      name: 'Confirmed',
      type: 'event',
    },
    {
      inputs: [{ internalType: 'uint32', name: 'messageIndex', type: 'uint32' }],
      name: 'confirm',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    {
      inputs: [{ internalType: 'bytes', name: 'payload', type: 'bytes' }],
      name: 'order',
      outputs: [{ internalType: 'bytes32', name: 'messageID', type: 'bytes32' }],
      stateMutability: 'nonpayable',
      type: 'function',
    },
  ],
  bytecode:
    '0x6080604052348015600e575f5ffd5b506104c58061001c5f395ff3fe608060405234801561000f575f5ffd5b5060043610610034575f3560e01c8063b8587e3e14610038578063d2e2697e1461005d575b5f5ffd5b61004b610046366004610234565b610072565b60405190815260200160405180910390f35b61007061006b3660046102a2565b6100e7565b005b60405163ee5b48eb60e01b81525f906005600160991b019063ee5b48eb906100a090869086906004016102c5565b6020604051808303815f875af11580156100bc573d5f5f3e3d5ffd5b505050506040513d601f19601f820116820180604052508101906100e091906102f3565b9392505050565b6040516306f8253560e41b815263ffffffff821660048201525f9081906005600160991b0190636f825350906024015f60405180830381865afa158015610130573d5f5f3e3d5ffd5b505050506040513d5f823e601f3d908101601f19168201604052610157919081019061038c565b915091508061019c5760405162461bcd60e51b815260206004820152600c60248201526b1b9bdd081d995c9a599a595960a21b60448201526064015b60405180910390fd5b81511580156101b6575060208201516001600160a01b0316155b6101f45760405162461bcd60e51b815260206004820152600f60248201526e3737ba103a3432902816b1b430b4b760891b6044820152606401610193565b7fb7d6c1df015bd5e00161b18f26e9668ee858c58d0a2fdf5052390c06bf9d164b82604001516040516102279190610490565b60405180910390a1505050565b5f5f60208385031215610245575f5ffd5b823567ffffffffffffffff81111561025b575f5ffd5b8301601f8101851361026b575f5ffd5b803567ffffffffffffffff811115610281575f5ffd5b856020828401011115610292575f5ffd5b6020919091019590945092505050565b5f602082840312156102b2575f5ffd5b813563ffffffff811681146100e0575f5ffd5b60208152816020820152818360408301375f818301604090810191909152601f909201601f19160101919050565b5f60208284031215610303575f5ffd5b5051919050565b634e487b7160e01b5f52604160045260245ffd5b6040516060810167ffffffffffffffff811182821017156103415761034161030a565b60405290565b604051601f8201601f1916810167ffffffffffffffff811182821017156103705761037061030a565b604052919050565b80518015158114610387575f5ffd5b919050565b5f5f6040838503121561039d575f5ffd5b825167ffffffffffffffff8111156103b3575f5ffd5b8301606081860312156103c4575f5ffd5b6103cc61031e565b8151815260208201516001600160a01b03811681146103e9575f5ffd5b6020820152604082015167ffffffffffffffff811115610407575f5ffd5b80830192505085601f83011261041b575f5ffd5b815167ffffffffffffffff8111156104355761043561030a565b610448601f8201601f1916602001610347565b81815287602083860101111561045c575f5ffd5b8160208501602083015e5f602083830101528060408401525050809350505061048760208401610378565b90509250929050565b602081525f82518060208401528060208501604085015e5f604082850101526040601f19601f8301168401019150509291505056',
} as const;

export const Vault = {
  abi: [
    { inputs: [], stateMutability: 'payable', type: 'constructor' },
    {
      inputs: [{ internalType: 'address payable', name: 'heir', type: 'address' }],
      name: 'destroy',
      outputs: [],
      stateMutability: 'nonpayable',
      type: 'function',
    },
    { stateMutability: 'payable', type: 'receive' },
  ],
  bytecode:
    '0x6080604052607a80600f5f395ff3fe608060405260043610601d575f3560e01c8062f55d9d146027575f5ffd5b36602357005b5f5ffd5b3480156031575f5ffd5b506041603d366004604f565b6043565b005b806001600160a01b0316ff5b5f60208284031215605e575f5ffd5b81356001600160a01b03811681146073575f5ffd5b939250505056',
} as const;
