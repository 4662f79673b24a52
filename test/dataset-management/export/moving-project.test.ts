import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';

let app: DatasetApp;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
});
afterAll(() => app.close());

const download = async (project: string, format: string) =>
  app.download(`/api/Projects/export?projectId=${project}&dataFilter=All&format=${format}`);

test('a name whose hundredth character needs two code units is cut behind it, for the file of an export', async () => {
  const name = `a${'\u{20000}'.repeat(120)}`;
  const project = await app.project(await app.workspace(), undefined, name);
  const { status, headers } = await download(project, 'Native');
  expect(status).toBe(200);
  const [, encoded = ''] =
    /filename\*=UTF-8''(.*)$/.exec(headers.get('content-disposition') ?? '') ?? [];
  expect(decodeURIComponent(encoded)).toBe(`a${'\u{20000}'.repeat(99)}-2026-11-20.zip`);
});
