/**
 * Presents the rows of a whole list as JSON, in their order. Other requests go on between its batches, and what has been
 * presented is kept as text only, however many rows there are.
 */
export async function presentRows<Row>(
  batches: AsyncIterable<readonly Row[]>,
  present: (row: Row) => Promise<object>,
): Promise<string> {
  const parts: string[] = [];
  for await (const rows of batches)
    if (rows.length > 0)
      parts.push(JSON.stringify(await Promise.all(rows.map(present))).slice(1, -1));
  return `[${parts.join(',')}]`;
}
