import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startApp, type RestAnswer, type TestApp, type TestAppOptions } from './app.ts';
import { startS3Server } from './s3-server.ts';

/** Both drivers of the storage: what is stored through one must behave as through the other. */
export const drivers = ['filesystem', 's3'] as const;

/** A gateway with a storage of its own and three users: `owner` and `other` in one domain, `stranger` in another. */
export interface DatasetApp extends TestApp {
  /** Folder of the gateway's data. */
  folder: string;
  tokens: Record<'owner' | 'other' | 'stranger', string>;
  /** Calls a JSON path with a body and the owner's token. */
  post(path: string, body: object, token?: string): Promise<RestAnswer>;
  get(path: string, token?: string, headers?: Record<string, string>): Promise<RestAnswer>;
  /** Calls it and takes the data out of a successful envelope. */
  data(answer: Promise<RestAnswer>): Promise<any>;
  workspace(name?: string): Promise<string>;
  dataset(workspaceId: string, name?: string): Promise<string>;
  /** Makes a project through GraphQL, with the dataset assigned. */
  project(workspaceId: string, datasetId?: string, name?: string): Promise<string>;
  upload(fields: Record<string, string | Buffer>, token?: string): Promise<RestAnswer>;
  /** Uploads to a plain dataset and returns the id. */
  image(datasetId: string, bytes: Buffer, fileName?: string): Promise<string>;
  download(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; bytes: Buffer }>;
  /** Keys of all objects in the storage. */
  objects(): Promise<string[]>;
  member(workspaceId: string, login: string, role: string): Promise<void>;
}

export async function startDatasetApp(
  driver: (typeof drivers)[number],
  options: TestAppOptions = {},
): Promise<DatasetApp> {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-data-'));
  const s3 = driver === 's3' ? await startS3Server() : undefined;
  if (s3)
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
    });
  const app = await startApp({
    ...options,
    env: {
      DATA_DIR: folder,
      ...(s3 ? { STORAGE: `s3://${s3.bucket}/trivium?endpoint=${s3.endpoint}` } : {}),
      ...options.env,
    },
  });
  await app.load([
    { record: 'domain', name: 'one' },
    { record: 'domain', name: 'two' },
    { record: 'user', login: 'owner', domain: 'one' },
    { record: 'user', login: 'other', domain: 'one' },
    { record: 'user', login: 'stranger', domain: 'two' },
  ]);
  const tokens = {
    owner: await app.signedIn('owner'),
    other: await app.signedIn('other'),
    stranger: await app.signedIn('stranger'),
  };
  const post: DatasetApp['post'] = (path, body, token = tokens.owner) =>
    app.rest(path, token, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const data: DatasetApp['data'] = async (answer) => {
    const { status, json } = await answer;
    expect({ status, ...json }).toMatchObject({
      status: 200,
      isSuccess: true,
      errorCodes: [],
      errorMessage: null,
    });
    return json.data;
  };
  const upload: DatasetApp['upload'] = (fields, token = tokens.owner) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      form.set(name, typeof value === 'string' ? value : new Blob([Uint8Array.from(value)]));
    return app.rest('/api/Images/addImage', token, { method: 'POST', body: form });
  };
  return {
    ...app,
    folder,
    tokens,
    post,
    data,
    upload,
    get: (path, token = tokens.owner, headers = {}) => app.rest(path, token, { headers }),
    workspace: (name = 'Workspace') => data(post('/api/Workspaces/create', { name })),
    dataset: (workspaceId, name = 'Dataset') =>
      data(post('/api/Datasets/create', { workspaceId, name, description: 'Described' })),
    async project(workspaceId, datasetId, name = 'Project') {
      const found = await app.gql(
        'query ($uuid: UUID!) { workspace(uuid: $uuid) { id } }',
        { uuid: workspaceId },
        tokens.owner,
      );
      const made = await app.gql(
        'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { uuid } } ... on UserError { message } } }',
        { input: { workspaceId: found.data.workspace.id, name, description: 'Described' } },
        tokens.owner,
      );
      const id = made.data.createProject.project.uuid;
      if (datasetId) await data(post('/api/Projects/AssignDataset', { projectId: id, datasetId }));
      return id;
    },
    image: (DatasetId, Image, FileName = 'image.jpg') =>
      data(upload({ DatasetId, FileName, Image })),
    async download(path, headers = {}) {
      const response = await fetch(app.url + path, {
        headers: { 'x-service-csrf-token-x': tokens.owner, ...headers },
      });
      return {
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
    async objects() {
      const keys = [];
      for await (const { key } of app.services.storage.list()) keys.push(key);
      return keys.sort();
    },
    async member(workspaceId, login, role) {
      await app.services.db.rows(
        'INSERT INTO workspace_member (workspace_id, user_id, role) SELECT $1, id, $3 FROM "user" WHERE login = $2',
        [workspaceId, login, role],
      );
    },
    async close() {
      // Jobs run in turn: when this one does, none writes into the folder any more.
      await new Promise<void>((resolve) =>
        app.services.background(() => Promise.resolve(resolve())),
      );
      await app.close();
      await s3?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A failed envelope with these codes. */
export function failure(status: number, ...errorCodes: string[]): object {
  return {
    status,
    json: { data: null, errorMessage: expect.stringMatching(/./), errorCodes, isSuccess: false },
  };
}
