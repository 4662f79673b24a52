import { z } from 'zod';
import { filledText, text } from '../../core/records/record-fields.ts';
import type { ImportRun } from '../../core/records/record-kind.ts';

/** The fields that the records `dataset` and `project` share. */
export const contentFields = {
  id: z.uuid().toLowerCase(),
  workspace: z.uuid().toLowerCase().meta({ description: 'Id of its workspace; it stays there.' }),
  name: filledText(200).optional().meta({ description: 'Required for a new one.' }),
  description: text(10_000).optional(),
  status: z
    .enum(['Draft', 'Published'])
    .optional()
    .meta({ description: 'Draft for a new one; Published is for good.' }),
};

export interface ContentRecord {
  id: string;
  workspace: string;
  name?: string | undefined;
  description?: string | undefined;
  status?: 'Draft' | 'Published' | undefined;
}

/** Is there such a row in a live workspace, and may the record have it? Reports what is wrong; then nothing may be written. */
export async function checkContent(
  line: number,
  table: 'dataset' | 'project',
  value: ContentRecord,
  run: ImportRun,
): Promise<{ known: boolean } | undefined> {
  const { rows } = await run.client.query<{
    workspace_id: string | null;
    deleted: boolean | null;
    status: string | null;
  }>(
    `SELECT c.workspace_id, c.deleted_at IS NOT NULL AS deleted, c.status FROM workspace w LEFT JOIN ${table} c ON c.id = $2 WHERE w.id = $1 AND w.deleted_at IS NULL`,
    [value.workspace, value.id],
  );
  const row = rows[0];
  const refuse = (field: string, reason: string): undefined => {
    run.problem(line, field, reason);
    return undefined;
  };
  if (!row)
    return refuse(
      'workspace',
      `no workspace ${value.workspace} in the database or on an earlier line`,
    );
  if (row.workspace_id === null)
    return value.name === undefined
      ? refuse('name', `is required for a new ${table}`)
      : { known: false };
  if (row.workspace_id !== value.workspace)
    return refuse('workspace', `the ${table} belongs to another workspace`);
  if (row.deleted) return refuse('id', `the ${table} is deleted`);
  if (row.status === 'PUBLISHED' && value.status === 'Draft')
    return refuse('status', 'it is published: there is no way back');
  return { known: true };
}
