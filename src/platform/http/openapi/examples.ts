/** Of the chains that the sandbox serves, so that what the document shows can be asked of `npm start`. */
export const EXAMPLES = {
  address: 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  nodeId: 'NodeID-9strabef7JC3JjoBTveLxUKbRGJbPHKXK',
  evmAddress: '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC',
  /** By the key of evmAddress, of the text that shows that it has one. */
  keySignature:
    '0xec6b65080edfaea570e118ac507edbf7b07ae3086a5bd578c190455a872f6ea3361c2216cf188e9b952616a210f2fefa45ae8ace46e799e7b3847898a6d3d8431c',
  evmChainId: '43112',
  conversionTxHash: 'bMPhg8Dqo47rfUYP3zit6vkur7yn1bD5Ce2wToEF57pfPjrBU',
  message:
    '0x000000003039ee488204088eaba3d3c0c5e26d7a2892677f8d6181ef31848708b4e55ead7667000000260000000000008b0b0029df9b09a26ca85ddc04b82154310eda106a6b204befc7467287fe9a55',
  nft: {
    chainId: '43112',
    collection: '0x2E7642b29b5Ff73d231B2799c8CD7a1cBE94Da67',
    tokenId: '1',
  },
} as const;
