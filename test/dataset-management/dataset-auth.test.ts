import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { failure, startDatasetApp } from '../support/datasets.ts';
import { rawHttp } from '../support/raw-http.ts';

describe('D-72 DATASET_AUTH=off', () => {
  test('lets the dataset paths work without a session, as the first user; nothing else', async () => {
    const app = await startDatasetApp('filesystem', {
      env: { NODE_ENV: 'development', DATASET_AUTH: 'off' },
    });
    try {
      const created = await app.rest('/api/Workspaces/create', undefined, {
        method: 'POST',
        body: '{"name":"Open"}',
        headers: { 'content-type': 'application/json' },
      });
      expect(created.json).toMatchObject({ isSuccess: true });
      expect((await app.get('/api/Workspaces', app.tokens.owner)).json.data).toEqual([
        { id: created.json.data, name: 'Open', encrypted: false },
      ]);
      expect((await app.get('/api/Workspaces', app.tokens.other)).json.data).toEqual([]);
      expect(await app.get('/api/Workspaces', 'not a token')).toMatchObject(
        failure(401, 'UNAUTHORIZED'),
      );
      expect((await app.rest('/task/v1/feeds/list')).status).toBe(401);

      // A page of another site, in the browser of the developer, by form or by a name of its own that leads here.
      const { host } = new URL(app.url);
      const foreign: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Host: 'evil.example:4000' },
        { Host: `127.0.0.1.evil.example`, Origin: 'http://127.0.0.1.evil.example' },
      ];
      const asked = async (headers: Record<string, string>): Promise<string> => {
        const head = { Host: host, Connection: 'close', ...headers };
        const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
        return rawHttp(app.url, `GET /api/Workspaces HTTP/1.1\r\n${lines.join('')}\r\n`);
      };
      for (const headers of foreign)
        expect(await asked(headers), JSON.stringify(headers)).toMatch(/^HTTP\/1.1 401 /);
      for (const headers of [
        {},
        { 'Sec-Fetch-Site': 'same-origin', Origin: app.url },
        { Host: 'localhost:4000' },
        { Host: 'trivium.localhost' },
      ])
        expect(await asked(headers), JSON.stringify(headers)).toMatch(/^HTTP\/1.1 200 /);
      expect(
        (await app.gql('{ viewer { workspaces { totalCount } } }')).errors?.[0]?.extensions.code,
      ).toBe('UNAUTHENTICATED');
    } finally {
      await app.close();
    }
  });

  test('refuses to start in production, and anywhere but in development', () => {
    for (const NODE_ENV of ['production', 'test'])
      expect(() => readConfig({ NODE_ENV, DATASET_AUTH: 'off' })).toThrow(
        'DATASET_AUTH: off is for NODE_ENV=development',
      );
    expect(readConfig({ DATASET_AUTH: 'off' }).datasetAuth).toBe(false);
    expect(readConfig({}).datasetAuth).toBe(true);
  });
});
