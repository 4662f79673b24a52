import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../context/context.ts';
import { costs } from './field-cost.ts';

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

/** The builder of the one schema. Types stand in the `schema.ts` beside their resource; scalars, errors and pages in server/schema. */
export const builder = new SchemaBuilder<{
  Context: Context;
  Scalars: Scalars;
  DefaultFieldNullability: false;
}>({
  plugins: [ErrorsPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    nodeTypeOptions: { description: 'Anything that has a global id.' },
    nodeQueryOptions: {
      description: 'The object with this global id; null when there is none that you may see.',
      args: { id: { description: 'The `id` of any Node.' } },
    },
    nodesQueryOptions: {
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
