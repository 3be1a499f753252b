/** Flags for one node that is a network of its own: without stake to wait for it decides alone. */
export const X_CHAIN_FLAGS: readonly string[] = ['--sybil-protection-enabled=false'];
