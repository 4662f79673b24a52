import { afterAll, beforeAll, expect, test } from 'vitest';
import { asUser } from '../../../src/commands/support/as-user.ts';
import { importCoco } from '../../../src/dataset-management/projects/import-coco.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

let app: DatasetApp;
let project: string;
const images: string[] = [];
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
  for (const name of ['a.jpg', 'b.jpg', 'twice.jpg', 'twice.jpg'])
    images.push(await app.image(dataset, await jpeg(100, 80), name));
});
afterAll(() => app.close());

const load = (coco: unknown) =>
  asUser(app.services, 'owner', (ctx) => importCoco(ctx, { projectId: project, coco }));
const exported = async (): Promise<any> => {
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${project}&dataFilter=Annotated`,
  );
  const start = bytes.indexOf('{\n  "info"');
  return JSON.parse(bytes.subarray(start, bytes.indexOf('\n  ]\n}\n', start) + 7).toString());
};

test('F227 reads a COCO file: images by name or by our id, each image replaced, the rest named', async () => {
  const coco = {
    categories: [
      { id: 7, name: 'bolt' },
      { id: 9, name: 'nut' },
    ],
    images: [
      { id: 1, file_name: 'some/folder/a.jpg' },
      { id: 2, file_name: 'twice.jpg' },
      { id: 3, file_name: 'twice.jpg', uuid: images[3] },
      { id: 4, file_name: 'none.jpg' },
      { id: 5, file_name: 'b.jpg' },
    ],
    annotations: [
      { id: 1, image_id: 1, category_id: 9, bbox: [1, 2, 30, 40] },
      {
        id: 2,
        image_id: 3,
        category_id: 7,
        segmentation: [[0, 0, 10, 0, 10, 10]],
        bbox: [0, 0, 10, 10],
        area: 50,
        iscrowd: 0,
      },
      {
        id: 3,
        image_id: 1,
        category_id: 7,
        bbox: [5, 5, 5, 5],
        segmentation: { counts: 'xyz', size: [80, 100] },
      },
    ],
  };
  expect(await load(coco)).toEqual({
    images: 3,
    annotations: 3,
    unmatched: ['twice.jpg', 'none.jpg'],
  });
  const first = await exported();
  expect(first.categories.map(({ name }: { name: string }) => name)).toEqual(['bolt', 'nut']);
  expect(first.images.length).toBe(3);
  expect(first.annotations.length).toBe(3);
  expect(await load(coco)).toMatchObject({ images: 3, annotations: 3 });
  expect((await exported()).annotations.length).toBe(3);
});

test('F227 reads back what an export wrote', async () => {
  const before = await exported();
  expect(await load(before)).toMatchObject({ images: 3, annotations: 3, unmatched: [] });
  const tidy = (coco: any) =>
    coco.annotations
      .map(({ bbox, segmentation, image_id, category_id }: any) =>
        JSON.stringify({ bbox, segmentation, image_id, category_id }),
      )
      .sort();
  expect(tidy(await exported())).toEqual(tidy(before));
});

test.each([[{}], [{ categories: [], images: [{ id: 1 }], annotations: [] }], [null]])(
  'refuses %j',
  async (coco) => {
    await expect(load(coco)).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ code: 'VALIDATION_ERROR' })]),
    });
  },
);
