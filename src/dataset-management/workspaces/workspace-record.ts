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
  const { db, directory } = run;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return;
  const { id } = value;
  const known = await db.prisma.workspace.findUnique({ where: { id } });
  if (known && (known.domainId !== domainId || known.deletedAt))
    return run.problem(
      line,
      'id',
      known.deletedAt ? 'the workspace is deleted' : 'the workspace belongs to another domain',
    );
  const name = value.name?.trim();
  if (!known && name === undefined)
    return run.problem(line, 'name', 'is required for a new workspace');
  const members = value.members?.flatMap(({ user, role }, index) => {
    const entry = directory.user(user);
    if (entry?.domainId === domainId) return { workspaceId: id, userId: entry.id, role };
    run.problem(line, `members[${index}].user`, `no user "${user}" in domain "${value.domain}"`);
    return [];
  });
  if (!known)
    await db.prisma.workspace.create({
      data: { id, domainId, name: name ?? '', createdAt: new Date(run.now) },
    });
  else if (name !== undefined && name !== known.name)
    await db.prisma.workspace.update({ where: { id }, data: { name } });
  if (!members || members.length < (value.members?.length ?? 0)) return;
  await db.prisma.workspaceMember.deleteMany({ where: { workspaceId: id } });
  await db.prisma.workspaceMember.createMany({ data: members, skipDuplicates: true });
}
