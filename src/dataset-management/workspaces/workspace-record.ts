import { z } from 'zod';
import { filledText, loginField, nameField } from '../../core/records/record-fields.ts';
import { findDomain, type ImportRun, type RecordKind } from '../../core/records/record-kind.ts';

const roles = ['OWNER', 'MANAGER', 'DEVELOPER', 'ANNOTATOR'] as const;

const schema = z
  .strictObject({
    record: z.literal('workspace'),
    id: z.uuid().toLowerCase(),
    domain: nameField,
    name: filledText(200).optional().meta({ description: 'Required for a new workspace.' }),
    members: z
      .array(z.strictObject({ user: loginField, role: z.enum(roles) }))
      .max(10_000)
      .optional()
      .meta({ description: 'Replaces the members; nobody else sees the workspace.' }),
  })
  .meta({
    description: 'A workspace. It is encrypted by enableEncryption alone, which needs its key.',
  });

type WorkspaceRecord = z.infer<typeof schema>;

/** Import record `workspace`. */
export const workspaceRecord: RecordKind<WorkspaceRecord> = {
  name: 'workspace',
  schema,
  key: (value) => value.id,
  async write(batch, run) {
    for (const { line, value } of batch) await writeWorkspace(line, value, run);
  },
};

async function writeWorkspace(line: number, value: WorkspaceRecord, run: ImportRun): Promise<void> {
  const { client, directory } = run;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return;
  const { rows } = await client.query<{ domain_id: number; deleted: boolean }>(
    'SELECT domain_id, deleted_at IS NOT NULL AS deleted FROM workspace WHERE id = $1',
    [value.id],
  );
  const known = rows[0];
  if (known && (known.domain_id !== domainId || known.deleted))
    return run.problem(
      line,
      'id',
      known.deleted ? 'the workspace is deleted' : 'the workspace belongs to another domain',
    );
  if (!known && value.name === undefined)
    return run.problem(line, 'name', 'is required for a new workspace');
  const members = value.members?.map(({ user, role }, index) => {
    const entry = directory.user(user);
    const id = entry?.domainId === domainId ? entry.id : undefined;
    if (id === undefined)
      run.problem(line, `members[${index}].user`, `no user "${user}" in domain "${value.domain}"`);
    return { id, role };
  });
  await client.query(
    `INSERT INTO workspace AS w (id, domain_id, name, created_at) VALUES ($1, $2, coalesce($3, ''), $4)
     ON CONFLICT (id) DO UPDATE SET name = $3 WHERE w.name <> $3`,
    [value.id, domainId, value.name?.trim() ?? null, new Date(run.now)],
  );
  if (!members?.every(({ id }) => id !== undefined)) return;
  const json = JSON.stringify(members);
  await client.query(
    'DELETE FROM workspace_member WHERE workspace_id = $1 AND user_id NOT IN (SELECT id FROM jsonb_to_recordset($2::jsonb) r (id int))',
    [value.id, json],
  );
  await client.query(
    `INSERT INTO workspace_member (workspace_id, user_id, role) SELECT DISTINCT ON (r.id) $1::uuid, r.id, r.role FROM jsonb_to_recordset($2::jsonb) r (id int, role text)
     ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
    [value.id, json],
  );
}
