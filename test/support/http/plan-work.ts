import { isRecord } from './list-api.js';

/** A few pages are read faster than any index. */
const SMALL_TABLE = 3_000;
const LARGE_TABLES =
  /^(validators|delegators|delegator_reward_addresses|validation_cycles|staking_transactions|staking_listings|l1_validators|blockchains|nodes|utxos|utxo_listings|utxo_checks|subnets|icm|webhook_addresses)(_|$)/;

/** The work of a statement, as Postgres explains it. */
export interface Work {
  /** Tables that were read from one end to the other. */
  sequentialScans: string[];
  rowsRead: number;
  rowsSorted: number;
}

export function workOf(plan: unknown): Work {
  const work: Work = { sequentialScans: [], rowsRead: 0, rowsSorted: 0 };
  const visit = (node: unknown): void => {
    if (!isRecord(node)) return;
    const count = (name: string): number => Number(node[name] ?? 0) * Number(node['Actual Loops'] ?? 1);
    const type = String(node['Node Type']);
    const relation = typeof node['Relation Name'] === 'string' ? node['Relation Name'] : '';
    if (LARGE_TABLES.test(relation)) {
      const read =
        count('Actual Rows') + count('Rows Removed by Filter') + count('Rows Removed by Index Recheck');
      work.rowsRead += read;
      if (type === 'Seq Scan' && read > SMALL_TABLE) work.sequentialScans.push(relation);
    }
    const children = Array.isArray(node['Plans']) ? node['Plans'] : [];
    if (type.includes('Sort')) {
      work.rowsSorted += sum(
        children
          .filter(isRecord)
          .map((child) => Number(child['Actual Rows']) * Number(child['Actual Loops'])),
      );
    }
    children.forEach(visit);
  };
  visit(plan);
  return work;
}

/** A value in the text of a statement. */
export function literalOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value)) {
    return `'{${value.map((item) => (Buffer.isBuffer(item) ? `"\\\\x${item.toString('hex')}"` : String(item))).join(',')}}'`;
  }
  return `'${String(value)}'`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
