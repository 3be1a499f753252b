type Filter = readonly [name: string, value: string];

export const BOTH_ORDERS = ['asc', 'desc'] as const;

/**
 * Each filter alone in both orders, and every two of them in one, by turns: what filters and orders have to do with each other shows
 * in one order as in the other.
 */
export function* everyTwo(filters: readonly Filter[]) {
  for (const [i, one] of filters.entries()) {
    for (const [distance, another] of filters.slice(i).entries()) {
      const orders = distance === 0 ? BOTH_ORDERS : [BOTH_ORDERS[(i + distance) % 2] ?? 'asc'];
      for (const sortOrder of orders) yield { filters: Object.fromEntries([one, another]), sortOrder };
    }
  }
}
