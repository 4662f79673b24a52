import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { jpeg } from '../../support/images.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

let app: DatasetApp;
let workspace: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  await app.load([
    { record: 'user', login: 'third', domain: 'one', display_name: 'The third' },
    { record: 'user', login: 'gone', domain: 'one' },
  ]);
  await app.services.db.prisma.user.update({
    where: { login: 'gone' },
    data: { disabledAt: new Date() },
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  workspace = await app.workspace();
});

const globalId = (type: string, id: string): string =>
  Buffer.from(`${type}:${id}`).toString('base64');

/** Sends one of the three mutations about this workspace. */
async function members(
  action: 'add' | 'change' | 'remove',
  input: { login: string; role?: string },
  token = app.tokens.owner,
): Promise<any> {
  const name = `${action}WorkspaceMember`;
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const select = action === 'remove' ? 'removedId workspace { uuid }' : 'member { login role }';
  const { data, errors } = await app.gql(
    `mutation ($input: ${type}Input!) { result: ${name}(input: $input) { __typename ... on ${type}Payload { ${select} } ... on ValidationError { problems { path message } } ... on UserError { message } } }`,
    { input: { workspaceId: globalId('Workspace', workspace), ...input } },
    token,
  );
  expect(errors).toBeUndefined();
  return data.result;
}

const list = async (token = app.tokens.owner): Promise<unknown> =>
  (
    await app.gql(
      'query ($uuid: UUID!) { workspace(uuid: $uuid) { viewerRole members { totalCount nodes { login displayName role } } } }',
      { uuid: workspace },
      token,
    )
  ).data.workspace;

describe('members of a workspace', () => {
  test('an owner adds a user by login, who sees the workspace at once, and its members', async () => {
    expect(await list(app.tokens.other)).toBeNull();
    expect(await members('add', { login: 'OTHER', role: 'DEVELOPER' })).toMatchObject({
      member: { login: 'other', role: 'DEVELOPER' },
    });
    expect(await list(app.tokens.other)).toEqual({
      viewerRole: 'DEVELOPER',
      members: {
        totalCount: 2,
        nodes: [
          { login: 'other', displayName: 'other', role: 'DEVELOPER' },
          { login: 'owner', displayName: 'owner', role: 'OWNER' },
        ],
      },
    });
  });

  test('a member who goes within a document writes nothing in the rest of it', async () => {
    const dataset = await app.dataset(workspace);
    await members('add', { login: 'other', role: 'DEVELOPER' });
    const ids = {
      dataset: globalId('Dataset', dataset),
      workspace: globalId('Workspace', workspace),
    };
    const { data, errors } = await app.gql(
      `mutation ($dataset: ID!, $workspace: ID!) {
        before: updateDataset(input: { datasetId: $dataset, name: "before", description: "" }) { __typename }
        leave: removeWorkspaceMember(input: { workspaceId: $workspace, login: "other" }) { __typename }
        after: updateDataset(input: { datasetId: $dataset, name: "after", description: "" }) { __typename }
      }`,
      ids,
      app.tokens.other,
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      before: { __typename: 'UpdateDatasetPayload' },
      leave: { __typename: 'RemoveWorkspaceMemberPayload' },
      after: { __typename: 'NotFoundError' },
    });
    expect(
      await app.services.db.prisma.dataset.findUnique({ where: { id: dataset } }),
    ).toMatchObject({ name: 'before' });
  });

  test('adding a member again changes nothing, with another role it is refused', async () => {
    await members('add', { login: 'other', role: 'DEVELOPER' });
    expect(await members('add', { login: 'other', role: 'DEVELOPER' })).toMatchObject({
      member: { role: 'DEVELOPER' },
    });
    expect(await members('add', { login: 'other', role: 'OWNER' })).toMatchObject({
      __typename: 'ValidationError',
      problems: [{ path: ['input', 'login'] }],
    });
  });

  test('of a login of another domain nothing is told, nor of one that is disabled', async () => {
    const unknown = await members('add', { login: 'nobody', role: 'MANAGER' });
    expect(unknown).toMatchObject({ __typename: 'ValidationError' });
    for (const login of ['stranger', 'gone', 'a\0b', ''])
      expect(await members('add', { login, role: 'MANAGER' })).toEqual(unknown);
    const missing = await members('change', { login: 'nobody', role: 'MANAGER' });
    expect(missing).toMatchObject({ __typename: 'NotFoundError' });
    for (const login of ['stranger', 'a\0b', '\ud800']) {
      expect(await members('change', { login, role: 'MANAGER' })).toEqual(missing);
      expect(await members('remove', { login })).toEqual(missing);
    }
  });

  test.each(['MANAGER', 'DEVELOPER', 'ANNOTATOR'])(
    'a %s changes no members, but leaves',
    async (role) => {
      await members('add', { login: 'other', role });
      const { other } = app.tokens;
      const refused = { __typename: 'ForbiddenError' };
      expect(await members('add', { login: 'third', role: 'OWNER' }, other)).toMatchObject(refused);
      expect(await members('change', { login: 'other', role: 'OWNER' }, other)).toMatchObject(
        refused,
      );
      expect(await members('remove', { login: 'owner' }, other)).toMatchObject(refused);
      expect(await members('remove', { login: 'other' }, other)).toMatchObject({
        __typename: 'RemoveWorkspaceMemberPayload',
        workspace: null,
      });
      expect(await list(other)).toBeNull();
    },
  );

  test('the last owner stays, also when two of them remove each other at once', async () => {
    const last = { __typename: 'ValidationError', problems: [{ path: ['input', 'login'] }] };
    expect(await members('remove', { login: 'owner' })).toMatchObject(last);
    expect(await members('change', { login: 'owner', role: 'MANAGER' })).toMatchObject(last);
    await members('add', { login: 'other', role: 'OWNER' });
    const answers = await Promise.all([
      members('remove', { login: 'other' }),
      members('remove', { login: 'owner' }, app.tokens.other),
    ]);
    expect(
      answers.filter(({ __typename }) => __typename === 'RemoveWorkspaceMemberPayload').length,
    ).toBe(1);
    const left = await app.services.db.prisma.workspaceMember.findMany({
      where: { workspaceId: workspace },
    });
    expect(left).toMatchObject([{ role: 'OWNER' }]);
  });

  test('an owner who is disabled does not replace one who is not', async () => {
    await app.member(workspace, 'gone', 'OWNER');
    expect(await members('remove', { login: 'owner' })).toMatchObject({
      __typename: 'ValidationError',
    });
  });

  test('a member leaves where no owner can sign in any more', async () => {
    await members('add', { login: 'other', role: 'MANAGER' });
    const { prisma } = app.services.db;
    const disable = (disabledAt: Date | null) =>
      prisma.user.update({ where: { login: 'owner' }, data: { disabledAt } });
    await disable(new Date());
    const left = await members('remove', { login: 'other' }, app.tokens.other);
    await disable(null);
    expect(left).toMatchObject({ __typename: 'RemoveWorkspaceMemberPayload' });
  });

  test('who is removed leaves the projects, and their exports stop', async () => {
    await members('add', { login: 'other', role: 'MANAGER' });
    const project = await app.project(workspace, await app.dataset(workspace));
    await app.gql(
      'mutation ($id: ID!) { setProjectMembers(input: { projectId: $id, logins: ["owner", "other"] }) { __typename } }',
      { id: globalId('Project', project) },
      app.tokens.owner,
    );
    const { prisma } = app.services.db;
    const { id: ownerId } = await prisma.user.findUniqueOrThrow({ where: { login: 'other' } });
    const job = await prisma.exportJob.create({
      data: {
        id: crypto.randomUUID(),
        projectId: project,
        ownerId,
        filter: 'ALL',
        // Another gateway runs it.
        state: 'RUNNING',
        aliveAt: new Date(Date.now() + 3_600_000),
        createdAt: new Date(),
      },
    });
    await members('remove', { login: 'other' });
    expect(await prisma.exportJob.findUnique({ where: { id: job.id } })).toMatchObject({
      state: 'CANCELLED',
    });
    expect((await app.rest(`/exports/${job.id}`, app.tokens.other)).status).toBe(400);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { project(uuid: $uuid) { usersCount } }',
      { uuid: project },
      app.tokens.owner,
    );
    expect(data.project.usersCount).toBe(1);
  });

  test('who is being removed while a project gets new members becomes none of them', async () => {
    await members('add', { login: 'other', role: 'MANAGER' });
    const project = await app.project(workspace);
    const { db } = app.services;
    const { id: userId } = await db.prisma.user.findUniqueOrThrow({ where: { login: 'other' } });
    let answer: ReturnType<DatasetApp['gql']> | undefined;
    await db.transaction(async (_, tx) => {
      // As a removal does it, which has not ended.
      await tx.rows('SELECT FROM workspace WHERE id = $1 FOR UPDATE', [workspace]);
      await tx.prisma.workspaceMember.deleteMany({ where: { workspaceId: workspace, userId } });
      answer = app.gql(
        'mutation ($id: ID!) { setProjectMembers(input: { projectId: $id, logins: ["owner", "other"] }) { ... on UserError { code } } }',
        { id: globalId('Project', project) },
        app.tokens.owner,
      );
      await Promise.race([answer, untilSomebodyWaits(db)]);
    });
    expect((await answer)?.data).toEqual({ setProjectMembers: { code: 'VALIDATION_ERROR' } });
    expect(await db.prisma.projectMember.count({ where: { projectId: project, userId } })).toBe(0);
  });

  test.each(['changeWorkspaceMember', 'an import record'])(
    'the exports and imports of who becomes an annotator stop, not those of another role (%s)',
    async (way) => {
      await members('add', { login: 'other', role: 'MANAGER' });
      const projectId = await app.project(workspace, await app.dataset(workspace));
      const { prisma } = app.services.db;
      const { id: ownerId } = await prisma.user.findUniqueOrThrow({ where: { login: 'other' } });
      // Another gateway runs them.
      const running = () => ({
        id: crypto.randomUUID(),
        projectId,
        ownerId,
        state: 'RUNNING',
        aliveAt: new Date(Date.now() + 3_600_000),
        createdAt: new Date(),
      });
      const job = await prisma.exportJob.create({ data: { ...running(), filter: 'ALL' } });
      const { id } = await prisma.annotationImport.create({
        data: {
          ...running(),
          name: 'a.json',
          dryRun: false,
          allowUnmatched: false,
          byteSize: 1,
          sha256: '0'.repeat(64),
        },
      });
      const states = async () => [
        (await prisma.exportJob.findUnique({ where: { id: job.id } }))?.state,
        (await prisma.annotationImport.findUnique({ where: { id } }))?.state,
      ];
      const change = (role: string): Promise<unknown> =>
        way === 'changeWorkspaceMember'
          ? members('change', { login: 'other', role })
          : app.load([
              {
                record: 'workspace',
                id: workspace,
                domain: 'one',
                members: [
                  { user: 'owner', role: 'OWNER' },
                  { user: 'other', role },
                ],
              },
            ]);
      await change('DEVELOPER');
      expect(await states()).toEqual(['RUNNING', 'RUNNING']);
      await change('ANNOTATOR');
      expect(await states()).toEqual(['CANCELLED', 'CANCELLED']);
    },
  );

  test.each(['remove', 'change'] as const)(
    'an upload that has begun is not stored after its user lost the right to it (%s)',
    async (action) => {
      await members('add', { login: 'other', role: 'DEVELOPER' });
      const dataset = await app.dataset(workspace);
      const Image = await jpeg();
      const restore = interceptRows(app.services.db, (rows) => async (sql, params) => {
        if (!sql.includes('FROM blob WHERE')) return rows(sql, params);
        restore();
        await members(action, {
          login: 'other',
          ...(action === 'change' && { role: 'ANNOTATOR' }),
        });
        return rows(sql, params);
      });
      const answer = await app.upload(
        { DatasetId: dataset, FileName: 'late.jpg', Image },
        app.tokens.other,
      );
      expect(answer.json).toMatchObject({ isSuccess: false });
      expect(await app.services.db.prisma.image.count({ where: { datasetId: dataset } })).toBe(0);
    },
  );

  test('every change is in the audit log, with whom it is about', async () => {
    await members('add', { login: 'other', role: 'MANAGER' });
    await members('change', { login: 'other', role: 'ANNOTATOR' });
    await members('remove', { login: 'other' });
    const { id } = await app.services.db.prisma.user.findUniqueOrThrow({
      where: { login: 'other' },
    });
    const entries = await app.services.db.prisma.auditLog.findMany({
      where: { objects: { hasEvery: [`Workspace:${workspace}`, `User:${id}`] } },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['addWorkspaceMember', 'MANAGER'],
      ['changeWorkspaceMember', 'ANNOTATOR'],
      ['removeWorkspaceMember', 'ANNOTATOR'],
    ]);
  });
});
