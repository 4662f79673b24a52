/**
 * Parts a list, in its order, into batches of at most so many items that weigh at most so much together. An item that weighs
 * more comes alone.
 */
export function* inBatches<Item>(
  items: readonly Item[],
  most: { items?: number; weight: number },
  weightOf: (item: Item) => number,
): Generator<Item[]> {
  let batch: Item[] = [];
  let sum = 0;
  for (const item of items) {
    const weight = weightOf(item);
    if (batch.length > 0 && (sum + weight > most.weight || batch.length === most.items)) {
      yield batch;
      [batch, sum] = [[], 0];
    }
    batch.push(item);
    sum += weight;
  }
  if (batch.length > 0) yield batch;
}
