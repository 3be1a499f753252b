/** A word of Solidity's encoding. */
export const WORD_BYTES = 32;
export const WORD_DIGITS = 2 * WORD_BYTES;

/** Before an address, which takes a word. */
export const ADDRESS_PADDING = '0'.repeat(24);
