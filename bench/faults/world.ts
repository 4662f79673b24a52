import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { createApiKey } from '../../src/accounts/api-keys/create-api-key.ts';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import { readConfig } from '../../src/core/context/config.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { createServices } from '../../src/server/services.ts';
import { checkStorage } from '../../src/dataset-management/images/blobs/check-storage.ts';
import { graphql, post, type Answer } from './call.ts';

export const FEEDS = 500;

/** Who may do what in the database of a fault. */
export interface World {
  tokens: string[];
  /** Headers of the task tracker's customer. */
  customer: Record<string, string>;
}

/** Fills a database with a domain of four users, a department of feeds, sessions and an API key. */
export async function makeWorld(env: Record<string, string>): Promise<World> {
  const services = await createServices(readConfig({ LOG_LEVEL: 'silent', ...env }));
  try {
    await importRecords(services, asLines(records()), { name: 'fault' });
    const tokens = await Promise.all(
      Array.from({ length: 4 }, async (_, i) => (await createSession(services, `user${i}`)).token),
    );
    const [row] = await services.db.rows(`SELECT id FROM domain WHERE name = 'fault'`, []);
    const { key } = await createApiKey(services, {
      customerId: 'fault',
      domainId: Number(row?.[0]),
    });
    return { tokens, customer: { 'API-Key': key, customerId: 'fault' } };
  } finally {
    await services.storage.close();
    await services.replicas?.close();
    await services.db.close();
  }
}

function* records(): Generator<object> {
  yield { record: 'domain', name: 'fault' };
  yield { record: 'dept', domain: 'fault', name: 'Floor' };
  for (let i = 0; i < 4; i++)
    yield {
      record: 'user',
      domain: 'fault',
      login: `user${i}`,
      display_name: `User ${i}`,
      depts: [{ name: 'Floor' }],
    };
  for (let key = 1; key <= FEEDS; key++)
    yield {
      feed_key: key,
      domain: 'fault',
      kind: 'MESSAGE',
      feed_title: `Feed ${key}`,
      assignments: [{ dept: 'Floor' }],
    };
}

/** A workspace with a dataset and a project, made through a gateway. */
export async function makeDataset(
  url: string,
  token: string,
): Promise<{ datasetId: string; projectNode: string }> {
  const done = (answer: Answer): any => {
    if (answer.status !== 200)
      throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.json)}`);
    return answer.json.data;
  };
  const workspaceId = done(await post(url, '/api/Workspaces/create', token, { name: 'Faults' }));
  const datasetId = done(
    await post(url, '/api/Datasets/create', token, { workspaceId, name: 'Set', description: '0' }),
  );
  const found = done(
    await graphql(url, token, 'query ($uuid: UUID!) { workspace(uuid: $uuid) { id } }', {
      uuid: workspaceId,
    }),
  );
  const made = done(
    await graphql(
      url,
      token,
      'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
      {
        input: { workspaceId: found.workspace.id, name: 'Project', description: 'Faults' },
      },
    ),
  );
  const { id, uuid } = made.createProject.project;
  done(await post(url, '/api/Projects/AssignDataset', token, { projectId: uuid, datasetId }));
  return { datasetId, projectNode: id };
}

/** An image nobody has had before, of about `side`² × 3 bytes. */
export async function noise(side: number): Promise<Uint8Array<ArrayBuffer>> {
  const png = await sharp(randomBytes(side * side * 3), {
    raw: { width: side, height: side, channels: 3 },
  })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return Uint8Array.from(png);
}

/** What `trivium storage check --content` finds missing or corrupt, and leftovers of uploads that are no row's. */
export async function crossCheck(
  env: Record<string, string>,
): Promise<{ faults: number; objects: number; orphans: number }> {
  const services = await createServices(readConfig({ LOG_LEVEL: 'silent', ...env }));
  try {
    const report = await checkStorage(services, { content: true });
    return {
      faults: report.missing.length + report.corrupt.length,
      objects: report.objects,
      orphans: report.orphans.length,
    };
  } finally {
    await services.storage.close();
    await services.replicas?.close();
    await services.db.close();
  }
}
