import { groupBy } from '../../avalanche/group-by.js';
import type { ValidatorSetChange } from '../../avalanche/platformvm/state/records.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { arrayLiteral } from '../../platform/database/array-literal.js';
import { partitionOf } from '../../platform/database/chains.js';
import type { Transaction } from '../../platform/database/database.js';
import { Table } from '../../platform/database/table.js';
import { STILL, ValidatorSetMember } from './entities/validator-set.entity.js';

export const VALIDATOR_SET_MEMBERS = new Table(ValidatorSetMember);

/** Ends what members counted for before, and writes what they count for now and counted for in between. */
export async function writeValidatorSets(
  transaction: Transaction,
  network: NetworkName,
  changes: readonly ValidatorSetChange[],
): Promise<void> {
  const byMember = groupBy(changes, ({ subnetId, memberId }) => subnetId + memberId);
  const histories = [...byMember.values()];
  await end(
    transaction,
    network,
    histories.flatMap((history) => history.slice(0, 1)),
  );
  await VALIDATOR_SET_MEMBERS.insert(transaction, network, histories.flatMap(toRows));
}

async function end(
  transaction: Transaction,
  network: NetworkName,
  first: readonly ValidatorSetChange[],
): Promise<void> {
  if (first.length === 0) return;
  await transaction.execute({
    text: `UPDATE ${partitionOf(VALIDATOR_SET_MEMBERS.name, network)} AS member SET until_height = input.height
       FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS input (subnet_id, member_id, height)
       WHERE member.network = $4 AND member.subnet_id = input.subnet_id AND member.member_id = input.member_id
         AND member.until_height = ${STILL}`,
    values: [
      arrayLiteral(
        'bytea',
        first.map(({ subnetId }) => subnetId),
      ),
      arrayLiteral(
        'bytea',
        first.map(({ memberId }) => memberId),
      ),
      arrayLiteral(
        'bigint',
        first.map(({ height }) => height),
      ),
      network,
    ],
  });
}

/** Those of one member, in order. The last change of a height counts. */
function toRows(history: readonly ValidatorSetChange[]) {
  return history.flatMap(({ height, weight, ...member }, index) => {
    const untilHeight = history[index + 1]?.height ?? STILL;
    return weight === 0n || untilHeight === height
      ? []
      : [{ ...member, weight, fromHeight: height, untilHeight }];
  });
}
