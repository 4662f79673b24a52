import DataLoader from 'dataloader';
import { perRequest, type Context } from '../context/context.ts';

/** How many keys a loader reads at once. */
export const batched = { maxBatchSize: 500 };

/** The same for what a document may change, or wait for, and then select once more: it is read each time. */
export const uncached = { ...batched, cache: false };

/**
 * Makes a getter for a request's dataloader of rows by their ids: null for an id that has no row. `read` gets all ids that
 * one turn of the event loop asks for, and answers the rows that it finds, in any order.
 */
export function loaderById<Ctx extends Context, Id, Row extends { id: Id }>(
  read: (ctx: Ctx, ids: readonly Id[]) => Promise<readonly Row[]>,
  options: DataLoader.Options<Id, Row | null> = batched,
): (ctx: Ctx) => DataLoader<Id, Row | null> {
  return perRequest(
    (ctx: Ctx) =>
      new DataLoader<Id, Row | null>(async (ids) => {
        const byId = new Map((await read(ctx, ids)).map((row) => [row.id, row]));
        return ids.map((id) => byId.get(id) ?? null);
      }, options),
  );
}

/** The same of all rows that belong to an id, in the order in which `read` answers them: an empty list for an id that has none. */
export function loaderOfRows<Ctx extends Context, Id, Row>(
  read: (ctx: Ctx, ids: readonly Id[]) => Promise<readonly Row[]>,
  idOf: (row: Row) => Id,
  options: DataLoader.Options<Id, Row[]> = batched,
): (ctx: Ctx) => DataLoader<Id, Row[]> {
  return perRequest(
    (ctx: Ctx) =>
      new DataLoader<Id, Row[]>(async (ids) => {
        const lists = new Map(ids.map((id): [Id, Row[]] => [id, []]));
        for (const row of await read(ctx, ids)) lists.get(idOf(row))?.push(row);
        return ids.map((id) => lists.get(id) ?? []);
      }, options),
  );
}
