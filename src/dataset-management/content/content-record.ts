import * as z from 'zod';
import { filledText, text } from '../../core/records/record-fields.ts';
import type { ImportLine, ImportRun } from '../../core/records/record-kind.ts';

/** The fields that the records `dataset` and `project` share. */
export const contentFields = {
  id: z.uuid().toLowerCase(),
  workspace: z.uuid().toLowerCase().meta({ description: 'Id of its workspace; it stays there.' }),
  name: filledText(200).optional().meta({ description: 'Required for a new one.' }),
  description: text(10_000).optional(),
  status: z
    .enum(['Draft', 'Published'])
    .optional()
    .meta({ description: 'Draft for a new one; of a dataset, Published is for good.' }),
};

interface ContentRecord {
  id: string;
  workspace: string;
  name?: string | undefined;
  description?: string | undefined;
  status?: 'Draft' | 'Published' | undefined;
}

/** The columns of these fields. */
type Content = { name: string; description: string; status: string };

/** The row of a record, if there is one. */
type Known = Content & { workspaceId: string; deletedAt: Date | null };

/**
 * What a record says of a dataset or project beyond what is known of it; undefined when the record may not have the
 * row, which is then reported: nothing may be written.
 */
export async function newContent(
  table: 'dataset' | 'project',
  known: Known | null,
  { line, value }: ImportLine<ContentRecord>,
  run: ImportRun,
): Promise<Partial<Content> | undefined> {
  const refuse = (field: string, reason: string): undefined => {
    run.problem(line, field, reason);
    return undefined;
  };
  const workspaces = await run.db.prisma.workspace.count({
    where: { id: value.workspace, deletedAt: null },
  });
  if (workspaces === 0)
    return refuse(
      'workspace',
      `no workspace ${value.workspace} in the database or on an earlier line`,
    );
  if (!known && value.name === undefined) return refuse('name', `is required for a new ${table}`);
  if (known && known.workspaceId !== value.workspace)
    return refuse('workspace', `the ${table} belongs to another workspace`);
  if (known?.deletedAt) return refuse('id', `the ${table} is deleted`);
  if (table === 'dataset' && known?.status === 'PUBLISHED' && value.status === 'Draft')
    return refuse('status', 'it is published: there is no way back');
  const { description } = value;
  const name = value.name?.trim();
  const status = value.status?.toUpperCase();
  return {
    ...(name !== undefined && name !== known?.name && { name }),
    ...(description !== undefined && description !== known?.description && { description }),
    ...(status !== undefined && status !== known?.status && { status }),
  };
}
