import { bytes, list, struct, text, uint64, type Field } from '../codec/field.js';
import { packWith, parseWith } from '../codec/parse.js';
import { transaction } from '../codec/transaction.js';
import { utxo, type Utxo } from '../codec/utxo.js';
import type { Transaction } from '../transaction.js';

/** What a P-chain starts from (avalanchego v1.14.2 vms/platformvm/genesis/genesis.go), in the order of the bytes. */
export interface GenesisFields {
  readonly utxos: readonly { readonly utxo: Utxo; readonly message: Uint8Array }[];
  readonly validators: readonly Transaction[];
  readonly blockchains: readonly Transaction[];
  /** UNIX seconds. */
  readonly time: bigint;
  readonly initialSupply: bigint;
  readonly message: string;
}

const genesis: Field<GenesisFields> = struct<GenesisFields>({
  utxos: list(struct<GenesisFields['utxos'][number]>({ utxo, message: bytes })),
  validators: list(transaction),
  blockchains: list(transaction),
  time: uint64,
  initialSupply: uint64,
  message: text,
});

/** Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID. */
export function parseGenesisFields(genesisBytes: Uint8Array): GenesisFields {
  return parseWith('genesis', genesisBytes, genesis.unpack);
}

export function packGenesisFields(fields: GenesisFields): Uint8Array {
  return packWith(genesis, fields);
}
