import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

let app: DatasetApp;
let project: string;
let dataset: string;

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
});
afterAll(() => app.close());

it.each(['/api/Images/addImage', '/api/Projects/importAnnotations'])(
  'what arrives at %s after its session has ended is refused, and not kept',
  async (path) => {
    const staged = (): Promise<string[]> => readdir(join(app.folder, 'blobs', 'staging'));
    const token = await app.signedIn('owner');
    const [fields, file, bytes] = path.endsWith('addImage')
      ? [{ DatasetId: dataset, FileName: 'late.jpg' }, 'Image', await jpeg()]
      : [
          { ProjectId: project, FileName: 'late.json' },
          'File',
          Buffer.from('{"images":[]}'.padEnd(1_000)),
        ];
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(file, new Blob([Uint8Array.from(bytes)]), 'late');
    const { body, headers } = new Response(form);
    if (!body) throw new Error('a form has a body');
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    const whole = Buffer.concat(parts);
    const end = whole.length - 100;
    let rest = (): void => undefined;
    const sent = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(whole.subarray(0, end));
        rest = () => {
          controller.enqueue(whole.subarray(end));
          controller.close();
        };
      },
    });
    const answer = app.rest(path, token, {
      method: 'POST',
      headers: { 'content-type': headers.get('content-type') ?? '' },
      body: sent,
      duplex: 'half',
    } as RequestInit);
    await expect.poll(staged, { timeout: 10_000 }).toHaveLength(1);
    expect((await app.rest('/session', token, { method: 'DELETE' })).status).toBe(200);
    rest();
    expect(await answer).toMatchObject({ status: 401, json: { errorCodes: ['UNAUTHORIZED'] } });
    expect(await staged()).toEqual([]);
    expect(await app.objects()).toEqual([]);
  },
);
