import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { importCoco } from '../../support/import-coco.ts';

let app: DatasetApp;
let workspace: string;
let dataset: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  await app.image(dataset, await jpeg(100, 80), 'a.jpg');
});
afterAll(() => app.close());

const importInto = (project: string, coco: unknown): Promise<unknown> =>
  importCoco(app, project, JSON.stringify(coco));
const read = async (project: string, path: string, query = ''): Promise<string> => {
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${project}&dataFilter=Annotated${query}`,
  );
  // Stored, not compressed: a header of 30 bytes, the name, then the content until the next header.
  const at = bytes.indexOf(path) + path.length;
  return bytes.subarray(at, bytes.indexOf('PK', at, 'latin1')).toString();
};
const coco = async (project: string): Promise<any> => {
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${project}&dataFilter=Annotated`,
  );
  const start = bytes.indexOf('{\n  "info"');
  return JSON.parse(bytes.subarray(start, bytes.indexOf('\n  ]\n}\n', start) + 7).toString());
};
const classes = async (project: string): Promise<any[]> => {
  const { data } = await app.gql(
    'query ($p: UUID!) { project(uuid: $p) { classes { name supercategory skeleton { points edges } } } }',
    { p: project },
    app.tokens.owner,
  );
  return data.project.classes;
};
const file = (categories: object[], annotations: object[] = []) => ({
  categories,
  images: [{ id: 1, file_name: 'a.jpg' }],
  annotations: annotations.map((annotation, id) => ({ id, image_id: 1, ...annotation })),
});

const word = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
  .map((text) => text.trim());
const filled = word.filter((text) => text !== '' && !/^\d+$/.test(text));
const skeleton = fc.uniqueArray(filled, { minLength: 1, maxLength: 6 }).chain((keypoints) => {
  const point = fc.integer({ min: 1, max: keypoints.length });
  return fc.record({
    keypoints: fc.constant(keypoints),
    skeleton: fc.array(fc.tuple(point, point), { maxLength: 5 }),
  });
});
const category = fc
  .tuple(
    fc.record({ supercategory: fc.oneof(fc.constant(''), filled) }),
    fc.option(skeleton, { nil: {} }),
  )
  .map(([more, points]) => ({ ...more, ...points }));

test('supercategories and skeletons of COCO come in, go out and come in again equal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(category, { minLength: 1, maxLength: 4 }), async (given) => {
      const categories = given.map((one, at) => ({ id: at + 1, name: `class ${at}`, ...one }));
      const [first, second] = [
        await app.project(workspace, dataset, 'first'),
        await app.project(workspace, dataset, 'second'),
      ];
      // Longer than the names of any class: the export numbers the rest.
      const keypoints = Array.from({ length: 8 }, () => [5, 6, 2]).flat();
      await importInto(first, file(categories, [{ category_id: 1, keypoints }]));
      const out = await coco(first);
      for (const [at, { keypoints = [], skeleton = [], supercategory }] of categories
        .map((one): any => one)
        .entries())
        expect(out.categories[at]).toMatchObject({
          supercategory,
          ...(keypoints.length > 0 && { skeleton }),
          ...(at === 0 && {
            keypoints: Array.from({ length: 8 }, (_, index) => keypoints[index] ?? `${index + 1}`),
          }),
        });
      await importInto(second, out);
      expect(await classes(second)).toEqual(await classes(first));
      expect((await coco(second)).categories).toEqual(out.categories);
    }),
    { numRuns: 8 },
  );
});

test('a file that says nothing of a class leaves its supercategory and skeleton; what can not be stored is refused', async () => {
  const project = await app.project(workspace, dataset);
  const face = { id: 1, name: 'face', keypoints: ['left eye', 'right eye'], skeleton: [[1, 2]] };
  await importInto(project, file([{ ...face, supercategory: 'body' }]));
  await importInto(
    project,
    file([{ id: 1, name: 'face', supercategory: '', keypoints: ['1', '2', '3'] }]),
  );
  expect(await classes(project)).toEqual([
    {
      name: 'face',
      supercategory: 'body',
      skeleton: { points: ['left eye', 'right eye'], edges: [[1, 2]] },
    },
  ]);
  for (const [why, wrong] of Object.entries({
    'skeleton: has a line to a point': { skeleton: [[1, 3]] },
    'skeleton.0': { skeleton: [[0, 1]] },
    'skeleton: has two points of one name': { keypoints: ['a', 'a'] },
    'keypoints.0': { keypoints: ['a\0', 'b'] },
    'supercategory: is longer than 200': { supercategory: 'x'.repeat(201) },
  }))
    await expect(importInto(project, file([{ ...face, ...wrong }]))).rejects.toThrow(
      `coco.json: category 1: ${why}`,
    );
});

test('YOLO for poses names the points, and mirrors those with sides', async () => {
  const project = await app.project(workspace, dataset);
  const keypoints = [5, 5, 2, 10, 5, 2, 7, 9, 1];
  const names = ['nose', 'left_eye', 'right_eye'];
  const categories = [
    { id: 1, name: 'face', keypoints: names, skeleton: [] },
    { id: 2, name: 'box' },
  ];
  await importInto(project, file(categories, [{ category_id: 1, keypoints }]));
  expect(await read(project, 'data.yaml', '&format=YoloPose')).toContain(
    'kpt_shape: [3, 3]\nflip_idx: [0, 2, 1]\nnc: 2\nnames:\n  0: "face"\n  1: "box"\nkpt_names:\n  0: ["nose", "left_eye", "right_eye"]\n  1: ["1", "2", "3"]\n',
  );
  // One flip_idx is for all classes: points without sides have none.
  await importInto(
    project,
    file([{ ...categories[0], keypoints: ['nose', 'a', 'b'] }], [{ category_id: 1, keypoints }]),
  );
  const yaml = await read(project, 'data.yaml', '&format=YoloPose');
  expect(yaml).toContain('kpt_names:\n  0: ["nose", "a", "b"]\n');
  expect(yaml).not.toContain('flip_idx');
});
