import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes, explainFailure } from '../../../src/commands/support/explain-failure.ts';
import type { FileImport } from '../../../src/dataset-management/annotation-import/steps/import-file.ts';
import { importCoco } from '../../support/import-coco.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { compressRuns, runs } from '../../support/masks.ts';
import { jpeg } from '../../support/images.ts';

const [WIDTH, HEIGHT] = [100, 80];
let app: DatasetApp;
let project: string;
let projectId: string;
const images: string[] = [];
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  const [dataset, other] = [
    await app.dataset(workspace, 'train'),
    await app.dataset(workspace, 'val'),
  ];
  project = await app.project(workspace, dataset);
  await app.data(app.post('/api/Projects/AssignDataset', { projectId: project, datasetId: other }));
  for (const name of ['a.jpg', 'b.jpg', 'twice.jpg', 'twice.jpg', 'both.jpg'])
    images.push(await app.image(dataset, await jpeg(WIDTH, HEIGHT), name));
  images.push(await app.image(other, await jpeg(WIDTH, HEIGHT), 'both.jpg'));
  const found = await app.gql(
    'query ($uuid: UUID!) { project(uuid: $uuid) { id } }',
    { uuid: project },
    app.tokens.owner,
  );
  projectId = found.data.project.id;
});
afterAll(() => app.close());

const loadText = (text: string, more: Partial<FileImport> = {}) =>
  importCoco(app, project, text, more);
const load = (coco: unknown, more: Partial<FileImport> = {}) =>
  loadText(JSON.stringify(coco), more);
const refused = async (coco: unknown): Promise<string[]> => {
  const error: unknown = await load(coco).catch((thrown: unknown) => thrown);
  const { exit, message } = explainFailure(error);
  expect(exit).toBe(exitCodes.input);
  return message.split('\n');
};
const exported = async (): Promise<any> => {
  const { bytes } = await app.download(
    `/api/Projects/export?projectId=${project}&dataFilter=Annotated`,
  );
  const start = bytes.indexOf('{\n  "info"');
  return JSON.parse(bytes.subarray(start, bytes.indexOf('\n  ]\n}\n', start) + 7).toString());
};
const withoutIds = (annotation: object): object =>
  Object.fromEntries(Object.entries(annotation).filter(([name]) => !/^(.*_)?id$/.test(name)));
/** The annotations of an export by image and class, in order. */
const annotationsOf = (coco: any): Record<string, object[]> => {
  const category = new Map(coco.categories.map(({ id, name }: any) => [id, name]));
  const found: Record<string, object[]> = {};
  for (const { id, uuid } of coco.images)
    found[uuid] = coco.annotations
      .filter(({ image_id }: any) => image_id === id)
      .map((annotation: any) => ({
        ...withoutIds(annotation),
        category: category.get(annotation.category_id),
      }));
  return found;
};
/** Without what a database can't hold. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');
const bolt = [{ id: 7, name: 'bolt' }];
const box = { category_id: 7, bbox: [1, 2, 30, 40] };

test('F227 reads a COCO file: images by name, folder or our id, each image replaced', async () => {
  const coco = {
    categories: [
      { id: 7, name: 'bolt' },
      { id: 9, name: 'nut' },
    ],
    images: [
      { id: 1, file_name: 'some/folder/a.jpg' },
      { id: 2, file_name: 'val/both.jpg', width: WIDTH, height: HEIGHT },
      { id: 3, file_name: 'twice.jpg', uuid: images[3] },
      { id: 4, file_name: `images/x/${images[1]}-renamed.jpg` },
    ],
    annotations: [
      { id: 1, image_id: 1, category_id: 9, bbox: [1, 2, 30, 40] },
      { id: 2, image_id: 2, category_id: 7, bbox: [0, 0, 10, 10] },
      { id: 3, image_id: 3, category_id: 7, bbox: [5, 5, 5, 5] },
    ],
  };
  expect(await load(coco)).toEqual({ images: 4, annotations: 3, unmatched: [] });
  const first = await exported();
  expect(first.categories.map(({ name }: { name: string }) => name)).toEqual(['bolt', 'nut']);
  const counts = Object.entries(annotationsOf(first)).map(([id, list]) => [id, list.length]);
  expect(Object.fromEntries(counts)).toEqual({
    [images[0] ?? '']: 1,
    [images[1] ?? '']: 0,
    [images[3] ?? '']: 1,
    [images[5] ?? '']: 1,
  });
  expect(await loadText(`\uFEFF${JSON.stringify(coco)}`)).toMatchObject({ annotations: 3 });
  expect(annotationsOf(await exported())).toEqual(annotationsOf(first));
});

test('F227 an image that is not found, or not unique, refuses the file unless that is allowed', async () => {
  const coco = {
    categories: bolt,
    images: ['a.jpg', 'twice.jpg', 'none.jpg'].map((file_name, id) => ({ id, file_name })),
    annotations: [{ id: 1, image_id: 0, ...box }],
  };
  const before = await exported();
  expect(await refused(coco)).toEqual([
    'coco.json: image twice.jpg: not found in the project, or not unique',
    'coco.json: image none.jpg: not found in the project, or not unique',
    'coco.json: 2 problems, nothing was imported',
  ]);
  expect(await exported()).toEqual(before);
  expect(await load(coco, { allowUnmatched: true })).toEqual({
    images: 1,
    annotations: 1,
    unmatched: ['twice.jpg', 'none.jpg'],
  });
});

describe('F227 what can not be stored refuses the whole file, by image and annotation', () => {
  const one = (annotation: object, more: object = {}) => ({
    categories: [...bolt, { id: 8, name: 'new class' }],
    images: [
      { id: 1, file_name: 'a.jpg' },
      { id: 2, file_name: 'b.jpg' },
    ],
    annotations: [
      { id: 1, image_id: 1, ...box, bbox: [0, 0, 1, 1] },
      { id: 4711, image_id: 2, ...box, ...annotation },
    ],
    ...more,
  });
  const faults: [string, object | null, string][] = [
    ['a box outside', one({ bbox: [90, 0, 30, 1] }), 'image b.jpg: annotation 4711: a box is'],
    ['two corners', one({ segmentation: [[1, 1, 2, 2]] }), 'image b.jpg: annotation 4711: a poly'],
    [
      'a mask of another size',
      one({ segmentation: { size: [100, 80], counts: [8000] } }),
      'image b.jpg: annotation 4711: a mask is',
    ],
    [
      'a mask cut short',
      one({ segmentation: { size: [80, 100], counts: [7999] } }),
      'image b.jpg: annotation 4711: a mask is',
    ],
    [
      'a mask of broken text',
      one({ segmentation: { size: [80, 100], counts: 'o~' } }),
      'image b.jpg: annotation 4711: a mask is',
    ],
    ['half a key point', one({ keypoints: [1, 2] }), 'image b.jpg: annotation 4711: points are'],
    ['visibility 3', one({ keypoints: [1, 2, 3] }), 'image b.jpg: annotation 4711: points are'],
    [
      'a broken outline of key points',
      one({ keypoints: [1, 2, 2], segmentation: [[1, 1, 2, 2]] }),
      'image b.jpg: annotation 4711: a poly',
    ],
    [
      'a line of one point',
      one({ shape: 'POLYLINE', polyline: [[1, 1]] }),
      'image b.jpg: annotation 4711: a polyline is',
    ],
    [
      'attributes of objects',
      one({ attributes: { a: {} } }),
      'image b.jpg: annotation 4711: attributes are',
    ],
    [
      'an attribute that JavaScript would lose',
      one({ attributes: JSON.parse('{"__proto__":1}') }),
      'image b.jpg: annotation 4711: attributes can not be named __proto__',
    ],
    ['iscrowd 2', one({ iscrowd: 2 }), 'image b.jpg: annotation 4711: iscrowd: '],
    ['text for a box', one({ bbox: 'x' }), 'image b.jpg: annotation 4711: bbox: '],
    ['no category', one({ category_id: 99 }), 'image b.jpg: annotation 4711: the file has no cat'],
    ['no image', one({ image_id: 99 }), 'annotation 4711: the file has no image 99'],
    [
      'another size of the image',
      one({}, { images: [{ id: 1, file_name: 'a.jpg', width: 80, height: 100 }] }),
      'image a.jpg: is 80 × 100 in the file, 100 × 80 here',
    ],
    [
      'an image twice',
      one({}, { images: [1, 2].map((id) => ({ id, file_name: 'a.jpg' })) }),
      'image a.jpg: is an image that the file has already',
    ],
    [
      'too many on one image',
      one({}, { annotations: Array.from({ length: 2001 }, () => ({ image_id: 2, ...box })) }),
      'image b.jpg: has 2001 annotations, more than 2000',
    ],
    ['an image without a name', one({}, { images: [{ id: 1 }] }), 'image 1: file_name: '],
    ['nothing', {}, 'categories: '],
    ['null', null, 'the file is no JSON'],
  ];
  test.each(faults)('%s', async (_, coco, reason) => {
    const before = await exported();
    const lines = await refused(coco);
    expect(lines.some((line) => line.startsWith(`coco.json: ${reason}`))).toBe(true);
    expect(await exported()).toEqual(before);
  });

  test('every fault is named, up to a hundred', async () => {
    const annotations = Array.from({ length: 150 }, (_, id) => ({
      id,
      image_id: 2,
      ...box,
      bbox: [0, 0, 0, 0],
    }));
    const lines = await refused(one({}, { annotations }));
    expect(lines.length).toBe(102);
    expect(lines.at(-2)).toBe('… and 50 more');
  });
});

test('F227 import and export are the identity on boxes, polygons, lines, masks, keypoints, attributes, area and iscrowd', async () => {
  const coordinate = (most: number) =>
    fc.oneof(
      fc.integer({ min: 0, max: most }),
      fc.double({ min: 0, max: most, noNaN: true }).map((value) => Math.abs(value)),
    );
  const bbox = fc
    .tuple(coordinate(49), coordinate(39), coordinate(50), coordinate(40))
    .map(([x, y, width, height]) => [x, y, width || 1, height || 1]);
  const ring = fc
    .array(fc.tuple(coordinate(WIDTH), coordinate(HEIGHT)), { minLength: 3, maxLength: 9 })
    .map((points) => points.flat());
  const mask = fc.tuple(runs(WIDTH * HEIGHT), fc.boolean()).map(([counts, compressed]) => ({
    size: [HEIGHT, WIDTH],
    counts: compressed ? compressRuns(counts) : counts,
  }));
  const points = fc
    .array(
      fc.oneof(
        fc.constant([0, 0, 0]),
        fc.tuple(coordinate(WIDTH), coordinate(HEIGHT), fc.constantFrom(1, 2)),
      ),
      { minLength: 2, maxLength: 4 },
    )
    .map((list) => list.flat());
  const attributes = fc.dictionary(
    fc.constantFrom('occluded', 'colour', 'größe', '__proto__x'),
    fc.oneof(fc.boolean(), fc.string({ maxLength: 9 }).map(storable), fc.integer()),
    { minKeys: 1 },
  );
  const line = fc.record({
    category_id: fc.integer({ min: 1, max: 3 }),
    image_id: fc.integer({ min: 0, max: 1 }),
    shape: fc.constant('POLYLINE'),
    polyline: fc.array(
      fc
        .array(fc.tuple(coordinate(WIDTH), coordinate(HEIGHT)), { minLength: 2 })
        .map((p) => p.flat()),
      { minLength: 1, maxLength: 3 },
    ),
  });
  const object = fc.record(
    {
      category_id: fc.integer({ min: 1, max: 3 }),
      image_id: fc.integer({ min: 0, max: 1 }),
      bbox,
      segmentation: fc.oneof(fc.constant([]), fc.array(ring, { minLength: 1, maxLength: 3 }), mask),
      area: coordinate(WIDTH * HEIGHT),
      iscrowd: fc.integer({ min: 0, max: 1 }),
      keypoints: points,
      attributes,
    },
    { requiredKeys: ['category_id', 'image_id'] },
  );
  const annotation = fc.oneof({ weight: 4, arbitrary: object }, { weight: 1, arbitrary: line });
  const coco = fc.array(annotation, { maxLength: 12 }).map((annotations) => ({
    categories: [1, 2, 3].map((id) => ({ id, name: `class ${id}` })),
    images: ['a.jpg', 'b.jpg'].map((file_name, id) => ({ id, file_name })),
    annotations: annotations.map((one, id) => ({ id, ...one })),
  }));
  await fc.assert(
    fc.asyncProperty(coco, async (file) => {
      await load(file);
      const stored = await exported();
      const found = annotationsOf(stored);
      for (const image of [0, 1]) {
        const sent = file.annotations.filter(({ image_id }) => image_id === image);
        expect(found[images[image] ?? '']).toMatchObject(
          sent.map((annotation) => ({
            ...withoutIds(annotation),
            category: `class ${annotation.category_id}`,
          })),
        );
      }
      await load(stored);
      expect(annotationsOf(await exported())).toEqual(found);
    }),
    { numRuns: 25, seed: 20_261_122 },
  );
}, 120_000);

test('F227 annotations of over two megabytes, which are stored in parts, are written where they are others', async () => {
  const outline = (first: number): number[] =>
    Array.from({ length: 110_000 }, (_, i) => (i === 0 ? first : ((i * 7919) % 79_000) / 1000));
  const loaded = async (...firsts: number[]): Promise<number> => {
    const annotations = firsts.map((first, id) => ({
      ...{ id, image_id: 0, category_id: 7, segmentation: [outline(first)] },
    }));
    await load({ categories: bolt, images: [{ id: 0, file_name: 'a.jpg' }], annotations });
    const { data } = await app.gql(
      'query ($i: UUID!, $p: ID!) { image(uuid: $i) { review(projectId: $p) { version } } }',
      { i: images[0], p: projectId },
      app.tokens.owner,
    );
    return data.image.review.version;
  };
  const version = await loaded(1, 2, 3);
  expect(await loaded(1, 2, 3)).toBe(version);
  expect(await loaded(1, 2)).toBe(version + 1);
  expect(await loaded(1, 2, 4)).toBe(version + 2);
  const stored = annotationsOf(await exported())[images[0] ?? ''] as any[];
  expect(stored.map(({ segmentation }) => segmentation[0][0])).toEqual([1, 2, 4]);
});

test('annotateImage takes 2000 annotations, masks among them, and no more', async () => {
  const annotate = async (count: number): Promise<any> => {
    const annotations = Array.from({ length: count }, (_, n) =>
      n === 0
        ? {
            className: 'bolt',
            shape: 'MASK',
            geometry: { size: [80, 100], counts: [80, 160, 7760] },
          }
        : { className: 'bolt', shape: 'BBOX', geometry: [n % 90, 1, 2, 3] },
    );
    const found = await app.gql(
      'query ($uuid: UUID!) { image(uuid: $uuid) { id } }',
      { uuid: images[4] },
      app.tokens.owner,
    );
    return app.gql(
      'mutation ($input: AnnotateImageInput!) { annotateImage(input: $input) { __typename ... on UserError { message } } }',
      { input: { projectId, imageId: found.data.image.id, annotations } },
      app.tokens.owner,
    );
  };
  expect((await annotate(2000)).data.annotateImage.__typename).toBe('AnnotateImagePayload');
  const found = annotationsOf(await exported())[images[4] ?? ''] ?? [];
  expect(found.length).toBe(2000);
  expect(found[0]).toMatchObject({ area: 160, bbox: [1, 0, 2, 80] });
  expect(JSON.stringify(await annotate(2001))).toContain('more than 2000 items');
});

test('an image may have fourteen million numbers in its annotations', async () => {
  const ring = Array.from({ length: 98_000 }, (_, at) => at % 7).join(',');
  const annotations = Array.from(
    { length: 150 },
    (_, id) => `{"id":${id},"image_id":1,"category_id":1,"segmentation":[[${ring}]]}`,
  ).join(',');
  const image = { id: 1, file_name: 'a.jpg', uuid: images[0] };
  const text = `{"images":[${JSON.stringify(image)}],"categories":[{"id":1,"name":"many"}],"annotations":[${annotations}]}`;
  expect(await loadText(text)).toMatchObject({ images: 1, annotations: 150 });
}, 120_000);
