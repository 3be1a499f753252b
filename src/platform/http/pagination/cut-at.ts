/** As many rows from the first on as are so much together, and at least one. */
export function cutAt<Row>(max: number, rows: readonly Row[], sizeOf: (row: Row) => number): Row[] {
  let size = 0;
  return rows.filter((row, index) => {
    size += sizeOf(row);
    return index === 0 || size <= max;
  });
}
