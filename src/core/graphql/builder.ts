import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../context/context.ts';
import { AppError } from '../errors.ts';
import { costs } from './field-cost.ts';
import { readGlobalId } from '../global-id.ts';
import { isNodeId } from './is-node-id.ts';

type Scalars = {
  ID: { Input: string; Output: string | number };
  /** Input: instant. Output: ISO 8601 text. */
  DateTime: { Input: Date; Output: string };
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

/** The builder of the one schema. Types stand in the `schema.ts` beside their resource; scalars, errors and pages beside it. */
export const builder = new SchemaBuilder<{
  Context: Context;
  Scalars: Scalars;
  DefaultFieldNullability: false;
}>({
  plugins: [ErrorsPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // What is no id names no type: `node` says so, and in `nodes` it leaves the others alone.
    decodeGlobalID: (id) => readGlobalId(id) ?? { typename: '', id },
    nodeTypeOptions: { description: 'Anything that has a global id.' },
    nodeQueryOptions: {
      resolve: (...[, { id }, , { schema }, load]) => {
        if (isNodeId(id, schema)) return load(id);
        if (id.typename === '') throw new AppError('E900', { message: 'This is no global id' });
        return null;
      },
      description: 'The object with this global id; null when there is none that you may see.',
      args: { id: { description: 'The `id` of any Node.' } },
    },
    nodesQueryOptions: {
      resolve: async (...[, { ids }, , { schema }, load]) => {
        const asked = ids.splice(0);
        const found = await Promise.allSettled(
          asked.map(async (id) => {
            if (!isNodeId(id, schema)) return null;
            // Reads the list when it is called, not what it is given.
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
        'The objects with these global ids, each null when there is none that you may see.',
      args: { ids: { description: 'The `id` of any Nodes, in the order of the answer.' } },
    },
    pageInfoTypeOptions: {},
    idFieldOptions: { description: 'Opaque global id.' },
  },
  errors: { defaultTypes: [], directResult: true },
});

builder.queryType({ description: 'Where reading begins.' });
builder.mutationType({
  description: 'Where changing begins. Expected failures are members of the result unions.',
});
