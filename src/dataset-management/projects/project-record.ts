import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { filledText, loginField } from '../../core/records/record-fields.ts';
import type { ImportRun, RecordKind } from '../../core/records/record-kind.ts';
import { checkContent, contentFields } from '../content/content-record.ts';

const schema = z
  .strictObject({
    record: z.literal('project'),
    ...contentFields,
    datasets: z
      .array(z.uuid().toLowerCase())
      .max(10_000)
      .optional()
      .meta({ description: 'Ids of datasets of the same workspace; replaces those assigned.' }),
    members: z
      .array(loginField)
      .max(10_000)
      .optional()
      .meta({ description: 'Members of the workspace; replaces those of the project.' }),
    classes: z
      .array(
        z.strictObject({
          name: filledText(200),
          color: z.string().regex(/^#[0-9a-f]{6}$/i, 'expected #rrggbb'),
        }),
      )
      .max(1000)
      .optional()
      .meta({
        description:
          'Classes that annotations name, in the order of their positions; those of the project are recoloured, none is removed.',
      }),
  })
  .meta({ description: 'A project.' });

type ProjectRecord = z.infer<typeof schema>;

/** Import record `project`. */
export const projectRecord: RecordKind<ProjectRecord> = {
  name: 'project',
  schema,
  key: (value) => value.id,
  async write(batch, run) {
    for (const { line, value } of batch) {
      if (!(await checkContent(line, 'project', value, run))) continue;
      await run.client.query(
        `INSERT INTO project AS p (id, workspace_id, name, description, status, created_at) VALUES ($1, $2, coalesce($3::text, ''), coalesce($4::text, ''), coalesce($5::text, 'DRAFT'), $6)
         ON CONFLICT (id) DO UPDATE SET name = coalesce($3, p.name), description = coalesce($4, p.description), status = coalesce($5, p.status)`,
        [
          value.id,
          value.workspace,
          value.name?.trim() ?? null,
          value.description ?? null,
          value.status?.toUpperCase() ?? null,
          new Date(run.now),
        ],
      );
      if (value.datasets) await replaceDatasets(line, value, value.datasets, run);
      if (value.members) await replaceMembers(line, value, value.members, run);
      for (const { name, color } of value.classes ?? []) {
        await run.client.query(
          `INSERT INTO annotation_class AS c (id, project_id, name, color, position) SELECT $1, $2, $3, $4, coalesce(max(position), 0) + 1 FROM annotation_class WHERE project_id = $2
           ON CONFLICT (project_id, name) DO UPDATE SET color = excluded.color`,
          [randomUUID(), value.id, name.trim(), color.toLowerCase()],
        );
      }
    }
  },
};

async function replaceDatasets(
  line: number,
  value: ProjectRecord,
  ids: readonly string[],
  run: ImportRun,
): Promise<void> {
  const { rows } = await run.client.query<{ id: string }>(
    'SELECT id FROM dataset WHERE id = ANY ($1::uuid[]) AND workspace_id = $2 AND deleted_at IS NULL',
    [ids, value.workspace],
  );
  const known = new Set(rows.map(({ id }) => id));
  ids.forEach((id, index) => {
    if (!known.has(id))
      run.problem(line, `datasets[${index}]`, `no dataset ${id} in the workspace`);
  });
  if (!ids.every((id) => known.has(id))) return;
  await run.client.query(
    'DELETE FROM project_dataset WHERE project_id = $1 AND dataset_id <> ALL ($2::uuid[])',
    [value.id, [...known]],
  );
  await run.client.query(
    'INSERT INTO project_dataset (project_id, dataset_id, assigned_at) SELECT $1, unnest($2::uuid[]), $3 ON CONFLICT DO NOTHING',
    [value.id, [...known], new Date(run.now)],
  );
}

async function replaceMembers(
  line: number,
  value: ProjectRecord,
  logins: readonly string[],
  run: ImportRun,
): Promise<void> {
  const { rows } = await run.client.query<{ id: number; login: string }>(
    'SELECT u.id, u.login FROM "user" u JOIN workspace_member m ON m.user_id = u.id AND m.workspace_id = $1 WHERE u.login = ANY ($2::text[])',
    [value.workspace, logins],
  );
  const known = new Set(rows.map(({ login }) => login));
  logins.forEach((login, index) => {
    if (!known.has(login))
      run.problem(line, `members[${index}]`, `"${login}" is not a member of the workspace`);
  });
  if (!logins.every((login) => known.has(login))) return;
  const ids = rows.map(({ id }) => id);
  await run.client.query(
    'DELETE FROM project_member WHERE project_id = $1 AND user_id <> ALL ($2::int[])',
    [value.id, ids],
  );
  await run.client.query(
    'INSERT INTO project_member (project_id, user_id) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING',
    [value.id, ids],
  );
}
