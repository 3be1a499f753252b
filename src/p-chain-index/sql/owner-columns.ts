import type { OutputOwners, PChainOwner } from '../../avalanche/platformvm/output.js';
import { type Column, column } from '../../indexing/sql/table.js';

/** The three columns of an owner; all empty for none. */
export function ownerColumns<Row>(prefix: string, ownerOf: (row: Row) => OutputOwners | null): Column<Row>[] {
  return [
    column(`${prefix}_locktime`, 'numeric', (row) => ownerOf(row)?.locktime ?? null),
    column(`${prefix}_threshold`, 'int', (row) => ownerOf(row)?.threshold ?? null),
    column(`${prefix}_addresses`, 'bytea[]', (row) => ownerOf(row)?.addresses ?? null),
  ];
}

/** An owner without a lock time. */
export function pChainOwnerColumns<Row>(prefix: string, ownerOf: (row: Row) => PChainOwner): Column<Row>[] {
  return [
    column(`${prefix}_threshold`, 'int', (row) => ownerOf(row).threshold),
    column(`${prefix}_addresses`, 'bytea[]', (row) => ownerOf(row).addresses),
  ];
}
