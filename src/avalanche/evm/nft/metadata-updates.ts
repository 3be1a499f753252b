/** Topics of the events by which a contract reports that metadata of its tokens has changed. */
export const METADATA_UPDATE_TOPICS = {
  /** ERC-4906: MetadataUpdate(uint256) */
  one: '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7',
  /** ERC-4906: BatchMetadataUpdate(uint256,uint256) */
  batch: '0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c',
  /** ERC-1155: URI(string,uint256 indexed) */
  uri: '0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b',
} as const;
