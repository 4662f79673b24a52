import * as z from 'zod';
import { filledText, loginField, nameField } from '../../core/records/record-fields.ts';
import {
  changedIf,
  findDomain,
  oneByOne,
  type Effect,
  type ImportLine,
  type ImportRun,
  type RecordKind,
} from '../../core/records/record-kind.ts';
import { dropMembers, stopJobs } from './drop-members.ts';
import { workspaceRoles, type WorkspaceRole } from './workspace.ts';

const schema = z
  .strictObject({
    record: z.literal('workspace'),
    id: z.uuid().toLowerCase(),
    domain: nameField,
    name: filledText(200).optional().meta({ description: 'Required for a new workspace.' }),
    members: z
      .array(z.strictObject({ user: loginField, role: z.enum(workspaceRoles) }))
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
  logins: ({ members }) => members?.map(({ user }) => user) ?? [],
  write: oneByOne(writeWorkspace),
};

async function writeWorkspace(
  { line, value }: ImportLine<WorkspaceRecord>,
  run: ImportRun,
): Promise<Effect | undefined> {
  const { db, directory } = run;
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return undefined;
  const refuse = (field: string, reason: string): undefined => {
    run.problem(line, field, reason);
    return undefined;
  };
  const { id } = value;
  const known = await db.prisma.workspace.findUnique({ where: { id } });
  if (known && (known.domainId !== domainId || known.deletedAt))
    return refuse(
      'id',
      known.deletedAt ? 'the workspace is deleted' : 'the workspace belongs to another domain',
    );
  const name = value.name?.trim();
  if (!known && name === undefined) return refuse('name', 'is required for a new workspace');
  const members = value.members?.flatMap(({ user, role }, index) => {
    const entry = directory.user(user);
    if (entry?.domainId === domainId) return { userId: entry.id, role };
    run.problem(line, `members[${index}].user`, `no user "${user}" in domain "${value.domain}"`);
    return [];
  });
  if (!known)
    await db.prisma.workspace.create({
      data: { id, domainId, name: name ?? '', createdAt: new Date(run.now) },
    });
  let changed = false;
  if (known && name !== undefined && name !== known.name) {
    await db.prisma.workspace.update({ where: { id }, data: { name } });
    changed = true;
  }
  if (members && members.length === value.members?.length)
    changed = (await replaceMembers(run, id, members)) || changed;
  return known ? changedIf(changed) : 'new';
}

/** Gives a workspace exactly these members, the first mention of a user counts; returns whether it had others. */
async function replaceMembers(
  { db, now }: ImportRun,
  workspaceId: string,
  members: readonly { userId: number; role: WorkspaceRole }[],
): Promise<boolean> {
  const { prisma } = db;
  const wanted = new Map<number, string>();
  for (const { userId, role } of members) if (!wanted.has(userId)) wanted.set(userId, role);
  const old = await prisma.workspaceMember.findMany({ where: { workspaceId } });
  const right = new Set<number>();
  for (const { userId, role } of old) if (wanted.get(userId) === role) right.add(userId);
  const added = [...wanted].filter(([userId]) => !right.has(userId));
  const others = old.flatMap(({ userId }) => (right.has(userId) ? [] : [userId]));
  await prisma.workspaceMember.deleteMany({ where: { workspaceId, userId: { in: others } } });
  const at = new Date(now);
  const gone = others.filter((userId) => !wanted.has(userId));
  await dropMembers(db, { workspaceId, userIds: gone, now: at });
  const annotators = others.filter((userId) => wanted.get(userId) === 'ANNOTATOR');
  if (annotators.length > 0)
    await stopJobs(db, at, { project: { workspaceId }, ownerId: { in: annotators } });
  await prisma.workspaceMember.createMany({
    data: added.map(([userId, role]) => ({ workspaceId, userId, role })),
  });
  return right.size < old.length || added.length > 0;
}
