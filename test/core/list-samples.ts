import * as lists from '../../src/core/lists/list.sql.ts';
import { TypedParams } from '../../src/core/sql/statement.ts';
import { uuid } from '../../src/core/sql/types.ts';

type AnyList = lists.List<unknown, Record<string, never>>;
type Query = ReturnType<AnyList['query']>;
type Samples = readonly (readonly [unknown, readonly unknown[]])[];

/** Arguments of the statements of lists: every list with each of its samples, from both ends, with and without a position. */
export function listSamples(every: readonly AnyList[]): Samples {
  const queriesFor = (parent: lists.ParentSql): Query[] =>
    every.flatMap((list) =>
      list.samples(parent).map((sample) =>
        list.query<unknown>(
          sample,
          (row) => row,
          () => [],
        ),
      ),
    );
  const alone = queriesFor((params) => params.add(uuid, null)).map((query) => ({ query }));
  // Only some lists lie below others.
  let isBelow = false;
  const below = queriesFor(() => ((isBelow = true), 'k.parent')).filter(({ source }) => {
    isBelow = false;
    source(new TypedParams());
    return isBelow;
  });
  const pages = [true, false].map((backward) => ({ limit: 1, backward }));
  const pagesOf = alone.flatMap(({ query }) =>
    pages.flatMap((page) =>
      [undefined, query.order.map(() => '')].map((position) => ({ query, page, position })),
    ),
  );
  return [
    [lists.wholeList, alone],
    [lists.listLength, alone],
    [lists.numberedPage, alone.map(({ query }) => ({ query, limit: 1, offset: 0 }))],
    [lists.listPage, pagesOf],
    [lists.listBeyond, pagesOf],
    [
      lists.pagesBelowParents,
      below.flatMap((query) => pages.map((page) => ({ query, page, parents: [] }))),
    ],
    [lists.lengthsBelow, below.map((query) => ({ query, parents: [] }))],
  ];
}
