import { z } from 'zod';
import type { RecordKind } from '../../core/records/record-kind.ts';
import { checkContent, contentFields } from '../content/content-record.ts';

const schema = z
  .strictObject({ record: z.literal('dataset'), ...contentFields })
  .meta({ description: 'A dataset. Its images are uploaded, not imported.' });

/** Import record `dataset`. */
export const datasetRecord: RecordKind<z.infer<typeof schema>> = {
  name: 'dataset',
  schema,
  key: (value) => value.id,
  async write(batch, run) {
    for (const { line, value } of batch) {
      if (!(await checkContent(line, 'dataset', value, run))) continue;
      await run.client.query(
        `INSERT INTO dataset AS d (id, workspace_id, name, description, status, published_at, created_at, updated_at)
         VALUES ($1, $2, coalesce($3::text, ''), coalesce($4::text, ''), coalesce($5::text, 'DRAFT'), CASE WHEN $5 = 'PUBLISHED' THEN $6::timestamptz END, $6, $6)
         ON CONFLICT (id) DO UPDATE SET name = coalesce($3, d.name), description = coalesce($4, d.description), status = coalesce($5, d.status),
           published_at = coalesce(d.published_at, excluded.published_at), version = d.version + 1, updated_at = $6
         WHERE (d.name, d.description, d.status) IS DISTINCT FROM (coalesce($3, d.name), coalesce($4, d.description), coalesce($5, d.status))`,
        [
          value.id,
          value.workspace,
          value.name?.trim() ?? null,
          value.description ?? null,
          value.status?.toUpperCase() ?? null,
          new Date(run.now),
        ],
      );
    }
  },
};
