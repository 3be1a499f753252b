/** Name of the P-chain's index: in its tables' `chain` columns, its workflow's id and the health answer. */
export const P_CHAIN = 'p-chain';
