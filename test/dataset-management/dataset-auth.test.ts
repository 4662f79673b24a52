import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { failure, startDatasetApp } from '../support/datasets.ts';

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
