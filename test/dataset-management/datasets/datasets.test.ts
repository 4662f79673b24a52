import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { datasetErrorCodes } from '../../../src/dataset-management/envelope/error-codes.ts';
import { routes } from '../../../src/server/routes/routes.ts';
import { NOON } from '../../support/app.ts';
import { drivers, failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { jpeg } from '../../support/images.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';

const DAY = 24 * 3600 * 1000;
const documented = [
  'GET /api/Datasets',
  'POST /api/Datasets/create',
  'POST /api/Datasets/delete',
  'GET /api/Datasets/images',
  'POST /api/Datasets/publish',
  'POST /api/Datasets/update',
  'POST /api/Images/addImage',
  'POST /api/Images/delete',
  'GET /api/Images/download',
  'GET /api/Images/downloadThumb',
  'GET /api/Projects',
  'POST /api/Projects/AssignDataset',
  'POST /api/Projects/UnlinkDataset',
  'GET /api/Projects/export',
  'GET /api/Workspaces',
  'POST /api/Workspaces/create',
  'POST /api/Workspaces/delete',
  'POST /api/Workspaces/enableEncryption',
];
/** Ours, in the documented style. */
const added = ['POST /api/Projects/importAnnotations'];

test('every documented path is served, each once', () => {
  expect(
    routes
      .filter(({ path }) => path.startsWith('/api/') && !path.includes('task-tracker'))
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual([...documented, ...added].sort());
});

describe.each(drivers)('datasets on %s', (driver) => {
  let app: DatasetApp;
  let workspace: string;
  beforeAll(async () => {
    app = await startDatasetApp(driver);
    workspace = await app.workspace('Main');
  });
  afterAll(() => app.close());

  const call = (route: string, token: string | undefined, headers: Record<string, string> = {}) => {
    const [method = '', path = ''] = route.split(' ');
    return app.rest(
      path,
      token,
      method === 'GET'
        ? { headers }
        : { method, body: '{}', headers: { 'content-type': 'application/json', ...headers } },
    );
  };

  test.each(documented)(
    'F200 F201 F236 F237 D-60 D-62 %s: envelope without a session and without input',
    async (route) => {
      expect(await call(route, undefined)).toMatchObject(failure(401, 'UNAUTHORIZED'));
      expect(await call(route, 'wrong')).toMatchObject(failure(401, 'UNAUTHORIZED'));
      if (route === 'GET /api/Workspaces') return;
      const answer = await call(route, app.tokens.owner);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.json)).toEqual(['data', 'errorMessage', 'errorCodes', 'isSuccess']);
      for (const code of answer.json.errorCodes) expect(datasetErrorCodes).toHaveProperty(code);
    },
  );

  test.each(documented)('F202 D-61 %s: api-version', async (route) => {
    for (const version of ['2.0', '0', 'x', '1.0.0']) {
      const answer = await call(route, app.tokens.owner, { 'api-version': version });
      expect(answer).toMatchObject(failure(400, 'UNSUPPORTED_API_VERSION'));
      expect(answer.headers.get('api-supported-versions')).toBe('1.0');
    }
    for (const version of ['1', '1.0', ''])
      expect(
        (await call(route, app.tokens.owner, { 'api-version': version })).json.errorCodes,
      ).not.toContain('UNSUPPORTED_API_VERSION');
  });

  test('F201 OpenAPI has the six variants of the envelope', async () => {
    const { json } = await app.rest('/openapi.json');
    const variants = {
      DatasetListEnvelope: 'DatasetInfoDtos',
      EmptyEnvelope: 'Object',
      IdEnvelope: 'NullableGuid',
      ImagePageEnvelope: 'PagedQueryResultDtoOfDatasetImageDto',
      ProjectListEnvelope: 'ProjectInfoDtos',
      WorkspaceListEnvelope: 'WorkspaceInfoDtos',
    };
    expect(
      Object.keys(json.components.schemas).filter((name) => name.endsWith('Envelope')),
    ).toEqual([...Object.keys(variants), 'FailureEnvelope'].sort());
    for (const [name, model] of Object.entries(variants)) {
      expect(json.components.schemas[name].description).toContain(`PublicApiResponseOf${model} `);
      expect(json.components.schemas[name].required).toEqual([
        'data',
        'errorMessage',
        'errorCodes',
        'isSuccess',
      ]);
    }
  });

  test('F237 a bearer token will do', async () => {
    expect(
      await call('GET /api/Workspaces', undefined, { authorization: `Bearer ${app.tokens.owner}` }),
    ).toMatchObject({ status: 200, json: { isSuccess: true } });
  });

  test('F228 F229 F230 F203 workspaces: create, list, delete', async () => {
    const id = await app.workspace('  Second ');
    const list = await app.data(app.get('/api/Workspaces'));
    expect(list).toContainEqual({ id, name: 'Second', encrypted: false });
    expect(await app.data(app.get('/api/Workspaces', app.tokens.other))).toEqual([]);
    const dataset = await app.dataset(id);
    expect(
      await app.post('/api/Workspaces/delete', { workspaceId: id }, app.tokens.other),
    ).toMatchObject(failure(400, 'WORKSPACE_NOT_FOUND'));
    expect(await app.data(app.post('/api/Workspaces/delete', { workspaceId: id }))).toBeNull();
    expect(await app.post('/api/Workspaces/delete', { workspaceId: id })).toMatchObject(
      failure(400, 'WORKSPACE_NOT_FOUND'),
    );
    expect(await app.post('/api/Datasets/delete', { datasetId: dataset })).toMatchObject(
      failure(400, 'DATASET_NOT_FOUND'),
    );
  });

  test('F230 GraphQL deletes with a token that brings the workspace back with all in it', async () => {
    const uuid = await app.workspace();
    const dataset = await app.dataset(uuid);
    const image = await app.image(dataset, await jpeg());
    const found = await app.gql(
      'query ($uuid: UUID!) { workspace(uuid: $uuid) { id } }',
      { uuid },
      app.tokens.owner,
    );
    const deleted = await app.gql(
      'mutation ($input: DeleteWorkspaceInput!) { deleteWorkspace(input: $input) { ... on DeletePayload { deletedId undoToken } } }',
      { input: { workspaceId: found.data.workspace.id } },
      app.tokens.owner,
    );
    expect(deleted.data.deleteWorkspace.deletedId).toBe(found.data.workspace.id);
    expect(await app.get(`/api/Images/download?imageId=${image}`)).toMatchObject(
      failure(400, 'IMAGE_NOT_FOUND'),
    );
    await app.gql(
      'mutation ($input: UndoDeleteInput!) { undoDelete(input: $input) { __typename } }',
      { input: { undoToken: deleted.data.deleteWorkspace.undoToken } },
      app.tokens.owner,
    );
    expect(await app.data(app.get(`/api/Datasets?workspaceId=${uuid}`))).toMatchObject([
      { id: dataset, imagesCount: 1 },
    ]);
    expect((await app.download(`/api/Images/download?imageId=${image}`)).status).toBe(200);
  });

  test.each(['Workspaces', 'Datasets', 'Images'])(
    'F208 F216 F230 D-66 what POST /api/%s/delete deleted comes back with the token of its answer, for 30 days',
    async (path) => {
      const workspaceId = await app.workspace();
      const datasetId = await app.dataset(workspaceId);
      const imageId = await app.image(datasetId, await jpeg());
      const ids = { Workspaces: { workspaceId }, Datasets: { datasetId }, Images: { imageId } };
      const body = Object.entries(ids).find(([name]) => name === path)?.[1] ?? {};
      const status = async (): Promise<number> =>
        (await app.download(`/api/Images/download?imageId=${imageId}`)).status;
      const remove = async (): Promise<string> => {
        const deleted = await app.post(`/api/${path}/delete`, body);
        expect(deleted.json).toMatchObject({ data: null, isSuccess: true });
        expect(await status()).toBe(400);
        return deleted.headers.get('x-undo-token') ?? '';
      };
      const undo = async (undoToken: string, token = app.tokens.owner): Promise<string> =>
        (
          await app.gql(
            'mutation ($undoToken: String!) { undoDelete(input: { undoToken: $undoToken }) { __typename } }',
            { undoToken },
            token,
          )
        ).data.undoDelete.__typename;
      const undoToken = await remove();
      expect(await undo(undoToken, app.tokens.stranger)).toBe('NotFoundError');
      app.setTime(NOON + 29 * DAY);
      app.tokens.owner = await app.signedIn('owner');
      expect(await undo(undoToken)).toBe('UndoDeletePayload');
      expect(await status()).toBe(200);
      const late = await remove();
      app.setTime(NOON + 60 * DAY);
      app.tokens.owner = await app.signedIn('owner');
      expect(await undo(late)).toBe('NotFoundError');
      app.setTime(NOON);
      app.tokens.owner = await app.signedIn('owner');
    },
  );

  test.each([
    ['a blank name', { name: ' ' }, 'NAME_REQUIRED'],
    ['no name', {}, 'NAME_REQUIRED'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'NAME_TOO_LONG'],
    ['a NUL', { name: 'a\0b' }, 'VALIDATION_ERROR'],
    ['a number', { name: 5 }, 'VALIDATION_ERROR'],
  ])('F229 refuses %s', async (_name, body, code) => {
    expect(await app.post('/api/Workspaces/create', body)).toMatchObject(failure(400, code));
  });

  test('F206 D-78 Idempotency-Key: a retry answers the same id, another request with the same key is refused', async () => {
    const create = async (path: string, body: object, key: string) => {
      const { status, headers, json } = await app.rest(path, app.tokens.owner, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
      return { status, replayed: headers.get('idempotent-replayed'), ...json };
    };
    const workspaceId = await app.workspace();
    const bodies = [
      ['/api/Workspaces/create', {}, '/api/Workspaces'],
      [
        '/api/Datasets/create',
        { workspaceId, description: '' },
        `/api/Datasets?workspaceId=${workspaceId}`,
      ],
    ] as const;
    for (const [path, more, list] of bodies) {
      const first = await create(path, { name: 'Once', ...more }, 'k1');
      expect(first).toMatchObject({ status: 200, replayed: null, isSuccess: true });
      expect(await create(path, { name: 'Once', ...more }, 'k1')).toEqual({
        ...first,
        replayed: 'true',
      });
      expect(await create(path, { name: 'Twice', ...more }, 'k1')).toMatchObject({
        status: 400,
        data: null,
        errorCodes: ['VALIDATION_ERROR'],
      });
      expect(await create(path, { name: 'Once', ...more }, 'x'.repeat(256))).toMatchObject({
        status: 400,
        errorCodes: ['VALIDATION_ERROR'],
      });
      const names = (await app.data(app.get(list))).map(({ name }: { name: string }) => name);
      expect(names.filter((name: string) => /Once|Twice/.test(name))).toEqual(['Once']);
    }
  });

  test('F204 F205 F206 F207 F238 datasets: create, list with counts, update', async () => {
    const own = await app.workspace();
    const id = await app.data(
      app.post('/api/Datasets/create', {
        WORKSPACEID: own.replaceAll('-', ''),
        Name: 'A',
        description: '',
      }),
    );
    await app.image(id, await jpeg());
    await app.image(id, await jpeg());
    await app.project(own, id);
    const deleted = await app.image(id, await jpeg());
    await app.data(app.post('/api/Images/delete', { imageId: deleted }));
    expect(await app.data(app.get(`/api/Datasets?WorkspaceID=${own}`))).toEqual([
      { id, name: 'A', description: '', imagesCount: 2, projectsCount: 1, status: 'Draft' },
    ]);
    expect(
      await app.data(
        app.post('/api/Datasets/update', { datasetId: id, name: 'B', description: 'new' }),
      ),
    ).toBeNull();
    expect(await app.data(app.post('/api/Datasets/publish', { datasetId: id }))).toBeNull();
    await app.data(
      app.post('/api/Datasets/update', { datasetId: id, name: 'C', description: 'newer' }),
    );
    expect(await app.data(app.get(`/api/Datasets?workspaceId=${own}`))).toEqual([
      {
        id,
        name: 'C',
        description: 'newer',
        imagesCount: 2,
        projectsCount: 1,
        status: 'Published',
      },
    ]);
  });

  test.each(['deleted', 'brought back'])(
    'once it is published, no image is %s any more that somebody else was just writing',
    async (what) => {
      const datasetId = await app.dataset(workspace);
      const imageId = await app.image(datasetId, await jpeg());
      const remove = () => app.post('/api/Images/delete', { imageId });
      const undoToken = what === 'deleted' ? null : (await remove()).headers.get('x-undo-token');
      const { db } = app.services;
      const images = () => db.prisma.image.count({ where: { datasetId, deletedAt: null } });
      let changing: Promise<unknown> | undefined;
      let atPublication: Promise<number> | undefined;
      await db.transaction(async (_, tx) => {
        await tx.rows('SELECT FROM image WHERE id = $1 FOR UPDATE', [imageId]);
        changing =
          undoToken === null
            ? remove()
            : app.gql(
                'mutation ($input: UndoDeleteInput!) { undoDelete(input: $input) { __typename } }',
                { input: { undoToken } },
                app.tokens.owner,
              );
        await untilSomebodyWaits(db);
        atPublication = app.data(app.post('/api/Datasets/publish', { datasetId })).then(images);
        await Promise.race([atPublication, untilSomebodyWaits(db, 2)]);
      });
      const published = await atPublication;
      await changing;
      expect(await images()).toBe(published);
    },
  );

  test('F204 ids: missing, broken, unknown, foreign', async () => {
    expect(await app.get('/api/Datasets')).toMatchObject(failure(400, 'WORKSPACE_ID_REQUIRED'));
    expect(await app.get('/api/Datasets?workspaceId=x')).toMatchObject(failure(400, 'INVALID_ID'));
    expect(await app.get(`/api/Datasets?workspaceId=${randomUUID()}`)).toMatchObject(
      failure(400, 'WORKSPACE_NOT_FOUND'),
    );
    for (const token of [app.tokens.other, app.tokens.stranger])
      expect(await app.get(`/api/Datasets?workspaceId=${workspace}`, token)).toMatchObject(
        failure(400, 'WORKSPACE_NOT_FOUND'),
      );
    expect(await app.post('/api/Datasets/create', {})).toMatchObject(
      failure(400, 'WORKSPACE_ID_REQUIRED', 'VALIDATION_ERROR'),
    );
  });

  test('F208 D-66 deleting a dataset hides it and its images and takes it out of projects; undo brings all back', async () => {
    const own = await app.workspace();
    const id = await app.dataset(own);
    const image = await app.image(id, await jpeg());
    await app.project(own, id);
    const node = await app.gql(
      'query ($uuid: UUID!) { dataset(uuid: $uuid) { id } }',
      { uuid: id },
      app.tokens.owner,
    );
    const deleted = await app.gql(
      'mutation ($input: DatasetIdInput!) { deleteDataset(input: $input) { ... on DeletePayload { deletedId undoToken } } }',
      { input: { datasetId: node.data.dataset.id } },
      app.tokens.owner,
    );
    expect(await app.data(app.get(`/api/Datasets?workspaceId=${own}`))).toEqual([]);
    expect(await app.get(`/api/Images/download?imageId=${image}`)).toMatchObject(
      failure(400, 'IMAGE_NOT_FOUND'),
    );
    expect((await app.data(app.get(`/api/Projects?workspaceId=${own}`)))[0]).toMatchObject({
      imageCount: 0,
    });
    expect(await app.post('/api/Datasets/delete', { datasetId: id })).toMatchObject(
      failure(400, 'DATASET_NOT_FOUND'),
    );
    const undo = (token: string, undoToken = deleted.data.deleteDataset.undoToken) =>
      app.gql(
        'mutation ($input: UndoDeleteInput!) { undoDelete(input: $input) { __typename ... on UndoDeletePayload { restoredId } } }',
        { input: { undoToken } },
        token,
      );
    for (const time of [1.5, 253_402_300_800_000, 8_640_000_000_000_000, 8_640_000_000_000_001]) {
      const odd = Buffer.from(JSON.stringify(['dataset', id, time])).toString('base64url');
      const { data, errors } = await undo(app.tokens.owner, odd);
      expect(errors, String(time)).toBeUndefined();
      expect(data.undoDelete.__typename, String(time)).toBe('NotFoundError');
    }
    expect((await undo(app.tokens.other)).data.undoDelete.__typename).toBe('NotFoundError');
    expect((await undo(app.tokens.owner)).data.undoDelete).toEqual({
      __typename: 'UndoDeletePayload',
      restoredId: deleted.data.deleteDataset.deletedId,
    });
    expect((await app.data(app.get(`/api/Projects?workspaceId=${own}`)))[0]).toMatchObject({
      imageCount: 1,
    });
    expect((await undo(app.tokens.owner)).data.undoDelete.__typename).toBe('NotFoundError');
  });

  test('F219 F220 F221 projects: list, assign, unlink, both idempotent, same workspace only', async () => {
    const own = await app.workspace();
    const [dataset, foreign] = [await app.dataset(own), await app.dataset(workspace)];
    const project = await app.project(own, undefined, 'P');
    await app.image(dataset, await jpeg());
    for (let n = 0; n < 2; n++)
      expect(
        await app.data(
          app.post('/api/Projects/AssignDataset', { projectId: project, datasetId: dataset }),
        ),
      ).toBeNull();
    expect(await app.data(app.get(`/api/Projects?workspaceId=${own}`))).toEqual([
      {
        id: project,
        name: 'P',
        status: 'Draft',
        description: 'Described',
        imageCount: 1,
        usersCount: 1,
      },
    ]);
    expect(
      await app.post('/api/Projects/AssignDataset', { projectId: project, datasetId: foreign }),
    ).toMatchObject(failure(400, 'WORKSPACE_MISMATCH'));
    expect(
      await app.post('/api/Projects/AssignDataset', {
        projectId: randomUUID(),
        datasetId: dataset,
      }),
    ).toMatchObject(failure(400, 'PROJECT_NOT_FOUND'));
    expect(
      await app.post('/api/Projects/AssignDataset', {
        projectId: project,
        datasetId: randomUUID(),
      }),
    ).toMatchObject(failure(400, 'DATASET_NOT_FOUND'));
    for (let n = 0; n < 2; n++)
      expect(
        await app.data(
          app.post('/api/Projects/UnlinkDataset', { projectId: project, datasetId: dataset }),
        ),
      ).toBeNull();
    expect((await app.data(app.get(`/api/Projects?workspaceId=${own}`)))[0]).toMatchObject({
      imageCount: 0,
    });
    expect(await app.get('/api/Projects')).toMatchObject(failure(400, 'WORKSPACE_ID_REQUIRED'));
  });

  test('F219 project members are members of the workspace', async () => {
    const own = await app.workspace();
    await app.member(own, 'other', 'ANNOTATOR');
    const uuid = await app.project(own);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { project(uuid: $uuid) { id } }',
      { uuid },
      app.tokens.owner,
    );
    const set = (logins: string[]) =>
      app.gql(
        'mutation ($input: SetProjectMembersInput!) { setProjectMembers(input: $input) { ... on ProjectPayload { project { usersCount } } ... on UserError { code } } }',
        { input: { projectId: data.project.id, logins } },
        app.tokens.owner,
      );
    expect((await set(['owner', 'OTHER'])).data.setProjectMembers).toEqual({
      project: { usersCount: 2 },
    });
    expect((await set(['stranger'])).data.setProjectMembers).toEqual({ code: 'VALIDATION_ERROR' });
  });

  test('F237 roles: annotators read, but change nothing', async () => {
    const own = await app.workspace();
    const dataset = await app.dataset(own);
    await app.member(own, 'other', 'ANNOTATOR');
    const image = await app.image(dataset, await jpeg());
    expect((await app.get(`/api/Images/download?imageId=${image}`, app.tokens.other)).status).toBe(
      200,
    );
    expect(
      await app.post(
        '/api/Datasets/create',
        { workspaceId: own, name: 'x', description: '' },
        app.tokens.other,
      ),
    ).toMatchObject(failure(400, 'FORBIDDEN'));
    expect(
      await app.upload(
        { DatasetId: dataset, FileName: 'x', Image: await jpeg() },
        app.tokens.other,
      ),
    ).toMatchObject(failure(400, 'FORBIDDEN'));
    for (const path of ['update', 'publish', 'delete'])
      expect(
        await app.post(
          `/api/Datasets/${path}`,
          { datasetId: dataset, name: 'x', description: '' },
          app.tokens.other,
        ),
      ).toMatchObject(failure(400, 'FORBIDDEN'));
    expect(
      await app.post('/api/Workspaces/delete', { workspaceId: own }, app.tokens.other),
    ).toMatchObject(failure(400, 'FORBIDDEN'));
  });

  test('F207 expectedVersion refuses what somebody else changed first', async () => {
    const uuid = await app.dataset(workspace);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { dataset(uuid: $uuid) { id version } }',
      { uuid },
      app.tokens.owner,
    );
    const update = (expectedVersion: number) =>
      app.gql(
        'mutation ($input: UpdateDatasetInput!) { updateDataset(input: $input) { ... on UpdateDatasetPayload { dataset { version name } } ... on ConflictError { code currentVersion } } }',
        { input: { datasetId: data.dataset.id, name: 'N', description: '', expectedVersion } },
        app.tokens.owner,
      );
    expect((await update(data.dataset.version)).data.updateDataset).toEqual({
      dataset: { version: data.dataset.version + 1, name: 'N' },
    });
    expect((await update(data.dataset.version)).data.updateDataset).toEqual({
      code: 'CONFLICT',
      currentVersion: data.dataset.version + 1,
    });
  });

  test('F205 the counts of a page of datasets are one statement', async () => {
    const own = await app.workspace();
    const count = async (): Promise<number> => {
      let statements = 0;
      const restore = interceptRows(app.services.db, (rows) => (sql, params, signal) => {
        // What the gateway does beside the request has no signal of one.
        if (signal && /\b(workspace|dataset|project|image)\b/.test(sql)) statements++;
        return rows(sql, params, signal);
      });
      const query =
        'query ($uuid: UUID!) { workspace(uuid: $uuid) { datasets(first: 50) { totalCount nodes { name imagesCount projectsCount workspace { name } } } projects(first: 50) { nodes { imageCount usersCount } } } }';
      const { data } = await app.gql(query, { uuid: own }, app.tokens.owner);
      restore();
      expect(data.workspace.datasets.nodes.length).toBe(data.workspace.datasets.totalCount);
      return statements;
    };
    await app.project(own, await app.dataset(own));
    const one = await count();
    expect(one).toBeGreaterThan(2);
    for (let n = 0; n < 9; n++) await app.project(own, await app.dataset(own));
    expect(await count()).toBe(one);
  });

  test('an id that is no UUID names nothing, and leaves the other nodes alone', async () => {
    const uuid = await app.dataset(workspace);
    const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');
    const odd = ['Workspace', 'Dataset', 'DatasetImage', 'DatasetProject', 'Project'].map((type) =>
      globalId(type, 'zzz'),
    );
    const { errors, data } = await app.gql(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: [...odd, globalId('Dataset', uuid)] },
      app.tokens.owner,
    );
    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual([...odd.map(() => null), { id: globalId('Dataset', uuid) }]);
  });

  test('nodes are found by their global ids, by members only', async () => {
    const uuid = await app.dataset(workspace);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { dataset(uuid: $uuid) { id workspace { id } } }',
      { uuid },
      app.tokens.owner,
    );
    const ids = [data.dataset.id, data.dataset.workspace.id];
    const read = async (token: string) =>
      (await app.gql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', { ids }, token))
        .data.nodes;
    expect(await read(app.tokens.owner)).toEqual([
      { __typename: 'Dataset' },
      { __typename: 'Workspace' },
    ]);
    expect(await read(app.tokens.stranger)).toEqual([null, null]);
  });

  test('F229 createWorkspace of GraphQL gives the edge for the list', async () => {
    const made = await app.gql(
      'mutation { createWorkspace(input: { name: "G", clientMutationId: "m" }) { ... on CreateWorkspacePayload { workspace { uuid } workspaceEdge { cursor node { name } } clientMutationId } } }',
      {},
      app.tokens.other,
    );
    const payload = made.data.createWorkspace;
    expect(payload).toMatchObject({
      workspaceEdge: { node: { name: 'G' } },
      clientMutationId: 'm',
    });
    const list = await app.gql(
      '{ viewer { workspaces(first: 50) { edges { cursor } totalCount } } }',
      {},
      app.tokens.other,
    );
    expect(
      list.data.viewer.workspaces.edges.map(({ cursor }: { cursor: string }) => cursor),
    ).toContain(payload.workspaceEdge.cursor);
    const refused = await app.gql(
      'mutation { createWorkspace(input: { name: " " }) { __typename ... on ValidationError { problems { code path } } } }',
      {},
      app.tokens.other,
    );
    expect(refused.data.createWorkspace).toEqual({
      __typename: 'ValidationError',
      problems: [{ code: 'NAME_REQUIRED', path: ['input', 'name'] }],
    });
  });
});
