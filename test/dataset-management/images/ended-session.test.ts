import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
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

it('what is being sent when its session ends breaks off: an image, and an archive', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const project = await app.project(workspace, dataset);
  // 17 MB: more than the system keeps for a client that is slow.
  const raw = { width: 2400, height: 2400, channels: 3 } as const;
  const noise = sharp(randomBytes(2400 * 2400 * 3), { raw }).png({ compressionLevel: 0 });
  const image = await app.image(dataset, await noise.toBuffer(), 'noise.png');
  const token = await app.signedIn('owner');
  const begin = async (path: string): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const { body } = await fetch(app.url + path, { headers: { 'x-service-csrf-token-x': token } });
    if (!body) throw new Error('there is no file');
    const reader = body.getReader();
    await reader.read();
    return reader;
  };
  const readers = [
    await begin(`/api/Images/download?imageId=${image}`),
    await begin(`/api/Projects/export?projectId=${project}&dataFilter=All`),
  ];
  expect((await app.rest('/session', token, { method: 'DELETE' })).status).toBe(200);
  const rest = async (reader: ReadableStreamDefaultReader): Promise<void> => {
    while (!(await reader.read()).done) await wait(50);
  };
  const ends = await Promise.allSettled(readers.map(rest));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
