import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../context/context.ts';
import type { Cell } from '../wire/wire.ts';
import { uuid } from '../sql/types.ts';
import { lengthsBelow, pagesBelowParents, type ListQuery, type ParentSql } from './list.sql.ts';
import { uncached } from './load-by-id.ts';
import type { Connection, PageRequest } from './pagination.ts';
import { pageOf, readPage } from './read-list.ts';

export interface PageBelow {
  parent: string;
  page: PageRequest;
}

/**
 * Reads pages of lists that lie below rows of another list, such as the datasets of workspaces: the first (or last)
 * pages below all rows of a list in one statement, and their lengths in another.
 */
export function pagesBelow<Row, Args extends PageBelow>(
  list: (ctx: SignedInContext, parent: ParentSql, args: Args) => ListQuery<Row>,
): (ctx: SignedInContext, args: Args) => Promise<Connection<Row>> {
  const makeLoader = (ctx: SignedInContext, args: Args) => {
    const query = list(ctx, () => 'k.parent', args);
    const counts = new DataLoader<string, number>((ids) => readCounts(ctx, query, ids), uncached);
    return new DataLoader<string, Connection<Row>>(async (ids) => {
      const found = await readRows(ctx, query, args.page, ids);
      // Aliases of one list share its page: decoding the rows costs most of it.
      const pages = new Map<string, Connection<Row>>();
      const page = (id: string): Connection<Row> =>
        pageOf(query, args.page, {
          cells: found.get(id) ?? [],
          behind: false,
          totalCount: () => counts.load(id),
        });
      for (const id of ids) if (!pages.has(id)) pages.set(id, page(id));
      return ids.map((id) => pages.get(id) ?? page(id));
    }, uncached);
  };
  const loaders = perRequest(() => new Map<string, ReturnType<typeof makeLoader>>());
  return (ctx, args) => {
    if (args.page.cursor !== undefined)
      return readPage(
        ctx,
        list(ctx, (params) => params.add(uuid, args.parent), args),
        args.page,
      );
    const kind = JSON.stringify({ ...args, parent: undefined });
    const known = loaders(ctx);
    let loader = known.get(kind);
    if (!loader) known.set(kind, (loader = makeLoader(ctx, args)));
    return loader.load(args.parent);
  };
}

/** The rows of each page, and one more where there is one, in reading direction. */
async function readRows<Row>(
  ctx: SignedInContext,
  query: ListQuery<Row>,
  { limit, backward }: PageRequest,
  parents: readonly string[],
): Promise<Map<string, Cell[][]>> {
  const found = new Map<string, Cell[][]>();
  const rows = await pagesBelowParents.read(ctx.reads, {
    query,
    page: { limit: limit + 1, backward },
    parents: [...new Set(parents)],
  });
  for (const { cells } of rows) {
    const parent = cells.at(-1 - query.order.length) ?? '';
    const below = found.get(parent) ?? [];
    below.push(cells);
    found.set(parent, below);
  }
  return found;
}

async function readCounts<Row>(
  ctx: SignedInContext,
  query: ListQuery<Row>,
  parents: readonly string[],
): Promise<number[]> {
  const rows = await lengthsBelow.rows(ctx.reads, { query, parents: [...new Set(parents)] });
  const counts = new Map(rows.map(({ parent, count }) => [parent, count]));
  return parents.map((parent) => counts.get(parent) ?? 0);
}
