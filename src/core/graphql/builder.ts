import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../context/context.ts';
import type { Connection } from '../lists/pagination.ts';
import { AppError } from '../errors.ts';
import { costs } from './field-cost.ts';
import { readGlobalId } from '../global-id.ts';
import { isNodeId } from './is-node-id.ts';

type Scalars = {
  ID: { Input: string; Output: string | number };
  /** Output: instant, or ISO 8601 text. */
  DateTime: { Input: Date; Output: Date | string };
  LocalDateTime: { Input: string; Output: string };
  /** Input: yyyyMMdd, as operations take days. Output: yyyy-MM-dd. */
  LocalDate: { Input: string; Output: string };
  Timestamp: { Input: number; Output: number };
  SafeInt: { Input: number; Output: number };
  JSON: { Input: unknown; Output: unknown };
  URL: { Input: string; Output: string };
  UUID: { Input: string; Output: string };
  Cursor: { Input: string; Output: string };
  EncryptionChecksum: { Input: string; Output: string };
  /** Input: a file of a multipart request. */
  Upload: { Input: { arrayBuffer(): Promise<ArrayBuffer> }; Output: never };
  ChangeCursor: { Input: string; Output: string };
};

/**
 * The schema builder. Types are defined in the `schema.ts` of their resource; scalars, errors and connections next to
 * this file.
 */
export const builder = new SchemaBuilder<{
  Context: Context;
  Scalars: Scalars;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  Connection: Pick<Connection<unknown>, 'rows' | 'totalCount'>;
}>({
  plugins: [ErrorsPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // A malformed id gets an empty type name: `node` reports it, and in `nodes` the others are not affected.
    decodeGlobalID: (id) => readGlobalId(id) ?? { typename: '', id },
    nodeTypeOptions: { description: 'Anything that has a global id.' },
    nodeQueryOptions: {
      resolve: (...[, { id }, , { schema }, load]) => {
        if (isNodeId(id, schema)) return load(id);
        if (id.typename === '') throw new AppError('E900', { message: 'id is not a global id' });
        return null;
      },
      description:
        'The object with this global id; null if it does not exist or you may not see it.',
      args: { id: { description: 'The `id` of any Node.' } },
    },
    nodesQueryOptions: {
      resolve: async (...[, { ids }, , { schema }, load]) => {
        const asked = ids.splice(0);
        const found = await Promise.allSettled(
          asked.map(async (id) => {
            if (!isNodeId(id, schema)) return null;
            // The plugin reads the list when it is called, so the list itself is changed.
            ids.splice(0, ids.length, id);
            return (await load([id]))[0] ?? null;
          }),
        );
        return found.map((one) =>
          one.status === 'fulfilled'
            ? one.value
            : one.reason instanceof Error
              ? one.reason
              : new Error('not loaded', { cause: one.reason }),
        );
      },
      extensions: costs({ rowsOf: 'ids' }),
      description:
        'The objects with these global ids, each null if it does not exist or you may not see it.',
      args: { ids: { description: 'The `id`s of any Nodes; the result has the same order.' } },
    },
    idFieldOptions: { description: 'Opaque global id.' },
    // The plugin takes any scalar, but its types name only two.
    cursorType: 'Cursor' as never,
    firstArgOptions: { description: 'Number of rows from the start, 0 to 100; pages forward.' },
    afterArgOptions: { description: 'Position after which to read, exclusive; goes with first.' },
    lastArgOptions: { description: 'Number of rows from the end, 0 to 100; pages backward.' },
    beforeArgOptions: { description: 'Position before which to read, exclusive; goes with last.' },
    edgesFieldOptions: { description: 'The rows of the page with their positions.' },
    cursorFieldOptions: { description: 'Position of the row.' },
    pageInfoFieldOptions: { description: 'Position of the page in the list.' },
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether rows follow the page; always exact.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows precede the page; always exact.' },
    startCursorFieldOptions: {
      description:
        'Position of the first row; null if the page is empty. REST: `previous_cursor` (null there when hasPreviousPage is false).',
    },
    endCursorFieldOptions: {
      description:
        'Position of the last row; null if the page is empty. REST: `next_cursor` (null there when hasNextPage is false).',
    },
  },
  errors: { defaultTypes: [], directResult: true },
});

builder.queryType({ description: 'All queries.' });
builder.mutationType({
  description: 'All mutations. Expected failures are members of the result unions.',
});
