import { bytes, list, struct, text, uint64, type ValueOf } from '../codec/field.js';
import { packWith, parseWith } from '../codec/bounded-blob.js';
import { transaction } from '../codec/transaction.js';
import { utxo } from '../codec/utxo.js';

/** Genesis of a P-chain (avalanchego v1.14.2 vms/platformvm/genesis/genesis.go), in the order of the bytes. */
const genesis = struct({
  utxos: list(struct({ utxo, message: bytes })),
  validators: list(transaction),
  blockchains: list(transaction),
  time: uint64, // UNIX seconds
  initialSupply: uint64,
  message: text,
});

export type GenesisFields = ValueOf<typeof genesis>;

/** Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseGenesisFields(genesisBytes: Uint8Array): GenesisFields {
  return parseWith('genesis', genesisBytes, genesis.unpack);
}

export function packGenesisFields(fields: GenesisFields): Uint8Array {
  return packWith(genesis, fields);
}
