/** 24 KiB, header included (avalanchego v1.14.2 vms/platformvm/warp/payload/codec.go, MaxMessageSize). */
export const MAX_PAYLOAD_BYTES = 24 * 1024;
