import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

/** What somebody would write who has the document and nothing else. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './paths.js';

export async function run(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const session = await client.POST('/session', { body: { login: 'ana', password: 'secret of ana' } });
  if (!session.data) throw new Error(session.error.errorCode);
  const headers = { 'X-service-csrf-token-X': session.data.token };
  const list = await client.GET('/task/v1/feeds/{retrieve-type}', { headers, params: { path: { 'retrieve-type': 'list' }, query: { limit: 1, pin: 0, sort_by: 'priority' } } });
  const feeds: components['schemas']['Feed'][] = list.data && 'feed_details' in list.data ? list.data.feed_details : [];
  const nothing = await client.GET('/task/v1/calendar', { headers, params: { query: { source_id: 'CALENDAR', from_date: '20300101', to_date: '20300102' } } });
  const dates = await client.POST('/task/v1/actions/{feed-key}/suggested-date', { headers, params: { path: { 'feed-key': 1 } }, body: { sugg_start_date_val: '20261201' } });
  const workspace = await client.POST('/api/Workspaces/create', { headers, body: { name: 'Stores' } });
  const workspaces = await client.GET('/api/Workspaces', { headers });
  const refused = await client.POST('/api/task-tracker-external/tasks', { headers: { 'API-Key': 'none', customerId: 'none' }, body: { name: 'Restock', priority: 'HIGH' } });
  return {
    titles: feeds.map((feed) => feed.feed_title),
    nothing: nothing.data && 'error_code' in nothing.data ? nothing.data.error_code : null,
    dates: dates.data?.status,
    created: workspace.data?.data === workspaces.data?.data[0]?.id,
    refused: refused.error?.title,
  };
}
`;

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, feed(1, { feed_title: 'First' })]);
  // Below node_modules, so that the program finds its client library.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'openapi-client-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

/** Compiles the program against the types in the folder; its faults. */
function compile(name: string, source: string): string[] {
  const file = join(folder, `${name}.mts`);
  writeFileSync(file, source);
  const options = {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: [],
    outDir: folder,
  };
  const built = ts.createProgram([file], options);
  const faults = ts
    .getPreEmitDiagnostics(built)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  built.emit();
  return faults;
}

it(
  'a client generated from the document compiles, calls the gateway and understands its answers',
  { timeout: 60_000 },
  async () => {
    const { text } = await app.rest('/openapi.json');
    writeFileSync(join(folder, 'paths.ts'), astToString(await openapiTS(text)));
    expect(compile('wrong', program.replace('pin: 0', 'pin: 7'))).toContainEqual(
      expect.stringMatching(/^Type '7' is not assignable/),
    );
    expect(compile('program', program)).toEqual([]);
    const { run } = (await import(pathToFileURL(join(folder, 'program.mjs')).href)) as {
      run: (baseUrl: string) => Promise<object>;
    };
    expect(await run(app.url)).toEqual({
      titles: ['First'],
      nothing: 'E404',
      dates: 'OK',
      created: true,
      refused: 'Unauthorized',
    });
  },
);
