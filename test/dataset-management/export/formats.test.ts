import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinRings } from '../../../src/dataset-management/export/formats/outline.ts';
import { unpackBrush } from '../../../src/dataset-management/annotation-import/formats/unpack-brush.ts';
import { packBrush } from '../../../src/dataset-management/export/formats/pack-brush.ts';
import {
  readMask,
  runsOf,
  type Mask,
} from '../../../src/dataset-management/projects/annotations/mask.ts';
import { traceMask } from '../../../src/dataset-management/export/formats/trace-mask.ts';
import { batchImages } from '../../../src/dataset-management/export/selection/batch-images.ts';
import { partOf } from '../../../src/dataset-management/export/selection/split.ts';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import {
  checkCoco,
  checkLabelStudio,
  python,
  readBrush,
  readVoc,
  readYolo,
  runPython,
} from '../../support/format-rules.ts';
import { jpeg } from '../../support/images.ts';
import { importCoco } from '../../support/import-coco.ts';
import { compressRuns } from '../../support/masks.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { heapGrowth } from '../../support/memory.ts';

const [WIDTH, HEIGHT] = [100, 80];
const NUT = 'nut: "ü" & <x>, #1';
let app: DatasetApp;
let folder: string;
let project: string;
let empty: string;
const datasets: string[] = [];
const images: Record<string, string> = {};
const categories = ['bolt', NUT, 'person'].map((name, id) => ({ id, name }));

/** What is annotated, as COCO says it, by image. */
const annotations = [
  {
    image_id: 0,
    category_id: 0,
    bbox: [10, 20, 30, 40],
    attributes: { occluded: true, colour: 'red' },
  },
  {
    image_id: 0,
    category_id: 1,
    bbox: [0, 0, 10.5, 10],
    segmentation: [[0, 0, 10.5, 0, 10.5, 10, 0, 10]],
  },
  {
    image_id: 0,
    category_id: 1,
    bbox: [20, 20, 40, 40],
    segmentation: [
      [20, 20, 30, 20, 30, 30, 20, 30],
      [50, 50, 60, 50, 60, 60, 50, 60],
    ],
  },
  {
    image_id: 1,
    category_id: 0,
    segmentation: { size: [80, 100], counts: compressRuns([0, 10, 70, 10, 7910]) },
  },
  {
    image_id: 1,
    category_id: 1,
    iscrowd: 1,
    segmentation: { size: [80, 100], counts: [100, 5, 7895] },
  },
  {
    image_id: 2,
    category_id: 2,
    bbox: [5, 5, 50, 60],
    area: 2000,
    segmentation: [[5, 5, 55, 5, 55, 65]],
    keypoints: [10, 10, 2, 20, 30, 1, 0, 0, 0],
  },
  { image_id: 2, category_id: 2, keypoints: [1, 2, 2, 30, 40, 2] },
  { image_id: 2, category_id: 0, shape: 'POLYLINE', polyline: [[1, 1, 50, 50, 70, 10]] },
  { image_id: 2, category_id: 0, shape: 'CLASSIFICATION' },
  { image_id: 3, category_id: 0, bbox: [-1, -1, 11, 11] },
];

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  folder = mkdtempSync(join(tmpdir(), 'trivium-formats-'));
  const workspace = await app.workspace();
  datasets.push(await app.dataset(workspace, 'first'));
  app.setTime(Date.UTC(2026, 10, 20, 12, 1));
  datasets.push(await app.dataset(workspace, 'second'));
  project = await app.project(workspace, datasets[0], 'All shapes');
  empty = await app.project(workspace, datasets[0], 'Nothing');
  await app.data(
    app.post('/api/Projects/AssignDataset', { projectId: project, datasetId: datasets[1] }),
  );
  const names = [
    'a.b.jpg',
    'no suffix',
    'pose.jpg',
    'edge.jpg',
    'nothing on it.jpg',
    'new.jpg',
    'x.gif',
    'small.png',
  ];
  for (const [at, name] of names.entries()) {
    const blank = {
      width: WIDTH,
      height: HEIGHT,
      channels: 3,
      background: { r: at * 20, g: 0, b: 0 },
    } as const;
    const bytes = name.endsWith('.gif')
      ? await sharp({ create: blank }).gif().toBuffer()
      : name.endsWith('.png')
        ? await sharp({ create: { ...blank, height: 9 } })
            .png()
            .toBuffer()
        : await jpeg(WIDTH, HEIGHT);
    app.setTime(Date.UTC(2026, 10, 20, 12, 2, at));
    images[name] = await app.image(datasets[at < 4 ? 0 : 1] ?? '', bytes, name);
  }
  const annotated = names.filter((name) => name !== 'new.jpg');
  const coco = {
    categories,
    images: annotated.map((name, id) => ({ id, file_name: name, uuid: images[name] })),
    annotations: [
      ...annotations,
      { image_id: 5, category_id: 0, bbox: [1, 1, 9, 9] },
      { image_id: 6, category_id: 0, bbox: [1, 1, 5, 5] },
    ].map((one, id) => ({ id, ...one })),
  };
  await importFile(JSON.stringify(coco));
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const importFile = (text: string, projectId = project) => importCoco(app, projectId, text);
const path = (query: string, id = project): string =>
  `/api/Projects/export?projectId=${id}&dataFilter=All${query}`;
let archives = 0;
/** Exports over REST and unpacks. */
const unpacked = async (query: string, id = project): Promise<string> => {
  const { status, bytes } = await app.download(path(query, id));
  expect(status).toBe(200);
  const target = join(folder, String(++archives));
  writeFileSync(`${target}.zip`, bytes);
  execFileSync('unzip', ['-q', `${target}.zip`, '-d', target]);
  const files = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1));
  const description = JSON.parse(readFileSync(join(target, 'project.json'), 'utf8'));
  expect(description.files.map((file: any) => file.path).sort()).toEqual(
    files.filter((file) => !/^(project\.json|manifest\.(json|sig))$/.test(file)).sort(),
  );
  return target;
};
const report = (target: string): any =>
  JSON.parse(readFileSync(join(target, 'report.json'), 'utf8'));
const rowsOf = (data: Awaited<ReturnType<typeof readYolo>>, name: string): number[][] | undefined =>
  Object.values(data.parts)
    .flat()
    .find(({ image }) => image.includes(images[name] ?? 'none'))?.rows;
const near = (values: readonly number[]): unknown[] =>
  values.map((value) => expect.closeTo(value, 6));
/** Every annotation is counted, and what is lost is said. */
const total = ({ totals }: any): number => totals.exact + totals.reduced + totals.leftOut;

test('F227 YOLO: Ultralytics finds every label, boxes are those of the annotations, and the rest is in report.json', async () => {
  const target = await unpacked('&format=Yolo');
  const data = await readYolo(target, 'detect');
  expect(data.names).toEqual(['bolt', NUT, 'person']);
  expect(rowsOf(data, 'a.b.jpg')).toEqual([
    near([0, 0.25, 0.5, 0.3, 0.5]),
    near([1, 0.0525, 0.0625, 0.105, 0.125]),
    near([1, 0.4, 0.5, 0.4, 0.5]),
  ]);
  expect(rowsOf(data, 'no suffix')).toEqual([near([0, 0.01, 0.0625, 0.02, 0.125])]);
  expect(rowsOf(data, 'edge.jpg')).toEqual([near([0, 0.05, 0.0625, 0.1, 0.125])]);
  expect(rowsOf(data, 'nothing on it.jpg')).toEqual([]);
  for (const name of ['new.jpg', 'x.gif', 'small.png']) expect(rowsOf(data, name)).toBeUndefined();
  const said = report(target);
  expect(total(said)).toBe(annotations.length + 2);
  expect(said.annotations).toEqual(
    expect.arrayContaining([
      { class: 'bolt', shape: 'BBOX', outcome: 'EXACT', count: 3 },
      { class: 'bolt', shape: 'BBOX', outcome: 'REDUCED', why: 'without attributes', count: 1 },
      { class: NUT, shape: 'POLYGON', outcome: 'REDUCED', why: 'without its outline', count: 2 },
      {
        class: NUT,
        shape: 'MASK',
        outcome: 'LEFT_OUT',
        why: 'a crowd: YOLO knows single objects only',
        count: 1,
      },
      {
        class: 'bolt',
        shape: 'CLASSIFICATION',
        outcome: 'LEFT_OUT',
        why: 'the whole image: YOLO wants a place',
        count: 1,
      },
    ]),
  );
  expect(said.images).toEqual({
    listed: 5,
    'not annotated: on no list': 1,
    'of a type that Ultralytics does not open: on no list': 1,
    'smaller than 10 pixels: on no list': 1,
  });
});

test('F227 YOLO for segmentation: outlines of polygons and masks, parts joined', async () => {
  const target = await unpacked('&format=YOLO_SEGMENT');
  const data = await readYolo(target, 'segment');
  const [box, polygon, parts] = rowsOf(data, 'a.b.jpg') ?? [];
  expect(box).toEqual(near([0, 0.1, 0.25, 0.4, 0.25, 0.4, 0.75, 0.1, 0.75]));
  expect(polygon).toEqual(near([1, 0, 0, 0.105, 0, 0.105, 0.125, 0, 0.125]));
  expect(parts?.length).toBe(1 + 2 * (4 + 1 + 4 + 1 + 1));
  expect(rowsOf(data, 'no suffix')).toEqual([near([0, 0, 0, 0.02, 0, 0.02, 0.125, 0, 0.125])]);
  const said = report(target);
  expect(total(said)).toBe(annotations.length + 2);
  expect(said.annotations).toContainEqual({
    class: 'bolt',
    shape: 'POLYLINE',
    outcome: 'LEFT_OUT',
    why: 'a line has no area',
    count: 1,
  });
});

test('F227 YOLO for poses: as many points in each row as kpt_shape says', async () => {
  const target = await unpacked('&format=yolo-pose');
  const data = await readYolo(target, 'pose');
  expect(data.keypoints).toEqual([3, 3]);
  expect(rowsOf(data, 'pose.jpg')?.slice(0, 2)).toEqual([
    near([2, 0.3, 0.4375, 0.5, 0.75, 0.1, 0.125, 2, 0.2, 0.375, 1, 0, 0, 0]),
    near([2, 0.155, 0.2625, 0.29, 0.475, 0.01, 0.025, 2, 0.3, 0.5, 2, 0, 0, 0]),
  ]);
  expect(rowsOf(data, 'edge.jpg')).toEqual([
    near([0, 0.05, 0.0625, 0.1, 0.125, ...Array(9).fill(0)]),
  ]);
  expect(await app.get(path('&format=YoloPose', empty))).toMatchObject(
    failure(400, 'VALIDATION_ERROR'),
  );
});

test('F227 a split is the same in each export, by its seed, and equal images are on one side', async () => {
  const parts = async (query: string): Promise<Record<string, string[]>> => {
    const { parts } = await readYolo(await unpacked(`&format=Yolo${query}`), 'detect');
    return Object.fromEntries(
      Object.entries(parts).map(([part, list]) => [part, list.map(({ image }) => image).sort()]),
    );
  };
  const once = await parts('&split=50/30/20&seed=3');
  expect(await parts('&split=50/30/20&seed=3')).toEqual(once);
  const byDataset = await parts(`&split=val:${datasets[1]}`);
  expect(byDataset['train']?.every((image) => image.includes(datasets[0] ?? ''))).toBe(true);
  expect(byDataset['val']).toEqual([
    expect.stringContaining(`${datasets[1]}/${images['nothing on it.jpg']}`),
  ]);
  fc.assert(
    fc.property(
      fc.nat({ max: 2 ** 31 - 1 }),
      fc.array(fc.stringMatching(/^[0-9a-f]{64}$/), { maxLength: 50 }),
      (seed, hashes) => {
        const split = { shares: { train: 60, val: 25, test: 15 }, seed };
        for (const sha256 of hashes)
          expect(partOf(split, { id: 'a', sha256, datasetId: 'a', mimeType: 'image/png' })).toBe(
            partOf(split, { id: 'b', sha256, datasetId: 'b', mimeType: 'image/jpeg' }),
          );
      },
    ),
  );
  const counts = { train: 0, val: 0, test: 0 };
  for (let n = 0; n < 5000; n++)
    counts[
      partOf(
        { shares: { train: 60, val: 25, test: 15 }, seed: 1 },
        { id: '', sha256: String(n), datasetId: '', mimeType: 'image/png' },
      )
    ]++;
  expect(counts.train / 5000).toBeCloseTo(0.6, 1);
  expect(counts.val / 5000).toBeCloseTo(0.25, 1);
});

test('F227 Pascal VOC: files that are in the archive, whole pixels from 1, attributes', async () => {
  const target = await unpacked('&format=PascalVoc&split=50/50');
  const found = { ...(await readVoc(target, 'train')), ...(await readVoc(target, 'val')) };
  expect(Object.keys(found).length).toBe(7);
  const objects = (name: string): any[] =>
    Object.entries(found).find(([file]) => file.includes(images[name] ?? ''))?.[1] ?? [];
  expect(objects('a.b.jpg')).toMatchObject([
    { name: 'bolt', occluded: '1', bndbox: { xmin: 11, ymin: 21, xmax: 40, ymax: 60 } },
    { name: NUT, bndbox: { xmin: 1, ymin: 1, xmax: 11, ymax: 10 } },
    { name: NUT },
  ]);
  expect(objects('no suffix')[1]).toMatchObject({ difficult: '1' });
  expect(objects('nothing on it.jpg')).toEqual([]);
  expect(total(report(target))).toBe(annotations.length + 2);
  expect(checkCoco(target, 'coco/annotations.json').images).toHaveLength(8);
});

test('F227 Label Studio: every region fits the set-up, in percent; brushes have the pixels of masks', async () => {
  const target = await unpacked('&format=label-studio');
  const tasks = checkLabelStudio(target);
  expect(tasks.length).toBe(8);
  const regions = (name: string): any[] =>
    tasks.find(({ meta }) => meta.imageId === images[name])?.annotations[0].result;
  expect(regions('a.b.jpg')[0]).toMatchObject({
    original_width: WIDTH,
    original_height: HEIGHT,
    value: { x: 10, y: 25, width: 30, height: 50, rotation: 0, rectanglelabels: ['bolt'] },
    meta: { attributes: { occluded: true, colour: 'red' } },
  });
  expect(regions('a.b.jpg').map(({ type }) => type)).toEqual([
    'rectanglelabels',
    ...Array(3).fill('polygonlabels'),
  ]);
  expect(readBrush(regions('no suffix')[0].value.rle).filter(Boolean).length).toBe(20);
  expect(regions('pose.jpg').map(({ type }) => type)).toEqual([
    'rectanglelabels',
    'keypointlabels',
    'keypointlabels',
    'rectanglelabels',
    'keypointlabels',
    'keypointlabels',
    'choices',
  ]);
  expect(tasks.find(({ meta }) => meta.imageId === images['new.jpg'])?.annotations).toEqual([]);
  expect(total(report(target))).toBe(annotations.length + 2);
});

test('F227 CSV: a line for each annotation, with its geometry as it is', async () => {
  const target = await unpacked('&format=csv&split=80/20');
  const lines: any[] = runPython(
    'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="")))))',
    join(target, 'annotations.csv'),
  );
  expect(lines.filter((line) => line.class !== '').length).toBe(annotations.length + 2);
  expect(lines.filter((line) => line.class === '').map((line) => line.file_name)).toEqual([
    'nothing on it.jpg',
    'new.jpg',
  ]);
  const [first, second] = lines;
  expect(first).toMatchObject({
    class: 'bolt',
    shape: 'BBOX',
    x: '10',
    box_height: '40',
    geometry: '[10,20,30,40]',
  });
  expect([JSON.parse(first.attributes), second.class]).toEqual([
    { colour: 'red', occluded: true },
    NUT,
  ]);
  expect(lines.every(({ split }) => split === 'train' || split === 'val')).toBe(true);
});

test('F227 COCO: each part is a file of its own, and what goes out comes in equal', async () => {
  const target = await unpacked('&format=Coco&split=50/30/20');
  const whole = checkCoco(target, 'coco/annotations.json');
  const parts = ['train', 'val', 'test'].map((part) => checkCoco(target, `coco/${part}.json`));
  const byId = (a: { id: number }, b: { id: number }): number => a.id - b.id;
  expect(whole.images).toHaveLength(8);
  expect(parts.flatMap((part) => part.images).sort(byId)).toEqual(
    whole.images.filter(({ uuid }: { uuid: string }) => uuid !== images['new.jpg']),
  );
  expect(parts.flatMap((part) => part.annotations).sort(byId)).toEqual(whole.annotations);
  for (const [index, sent] of annotations.entries())
    expect(whole.annotations).toContainEqual(
      expect.objectContaining({
        ...sent,
        image_id: sent.image_id + 1,
        category_id: sent.category_id + 1,
        id: index + 1,
      }),
    );
  await importFile(JSON.stringify(whole));
  expect(checkCoco(await unpacked('&format=Coco'), 'coco/annotations.json').annotations).toEqual(
    whole.annotations,
  );
  expect(report(target).totals).toEqual({ exact: 10, reduced: 2, leftOut: 0 });
});

const LOAD = `import sys, json
from pycocotools.coco import COCO
coco = COCO(sys.argv[1])
print(json.dumps([[int(coco.annToMask(a).sum()) if a['segmentation'] else None, a['area']] for a in coco.loadAnns(coco.getAnnIds())]))`;
const loads = spawnSync(python, ['-c', 'import pycocotools.coco']).status === 0;
test.skipIf(!loads)(
  `F227 pycocotools loads the COCO file, and its masks have our areas${loads ? '' : ' (not run: python3 has no pycocotools)'}`,
  async () => {
    const target = await unpacked('&format=Coco');
    const printed = execFileSync(python, [
      '-c',
      LOAD,
      join(target, 'coco/annotations.json'),
    ]).toString();
    const found: [number | null, number][] = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
    expect(found.length).toBe(annotations.length + 2);
    expect([found[1]?.[0], found[3], found[4]]).toEqual([
      expect.closeTo(105, -2),
      [20, 20],
      [5, 5],
    ]);
  },
);

test('F227 options that do not fit are refused, in REST and in GraphQL, with the argument', async () => {
  for (const query of [
    '&format=Word',
    '&split=80/20',
    '&format=LabelStudio&split=80/20',
    '&format=Yolo&split=80/30',
    '&format=Yolo&split=0/100',
    '&format=Yolo&split=some',
    '&format=Yolo&split=val:x',
    `&format=Yolo&split=val:${project}`,
    `&format=Yolo&split=val:${datasets[0]},test:${datasets[0]}`,
    `&format=Yolo&split=val:${datasets[0]}&seed=1`,
    '&format=Yolo&seed=1',
    '&format=Yolo&split=80/20&seed=x',
    '&format=Yolo&split=80/20&seed=2147483648',
  ])
    expect(await app.get(path(query)), query).toMatchObject(failure(400, 'VALIDATION_ERROR'));
  const ids = await app.gql(
    'query ($p: UUID!, $d: UUID!) { project(uuid: $p) { id } dataset(uuid: $d) { id } }',
    { p: project, d: datasets[1] },
    app.tokens.owner,
  );
  const ask = async (more: object): Promise<any> =>
    (
      await app.gql(
        'mutation ($input: ExportProjectInput!) { exportProject(input: $input) { ... on ExportProjectPayload { job { id format } } ... on ValidationError { problems { path } } } }',
        { input: { projectId: ids.data.project.id, filter: 'ALL', ...more } },
        app.tokens.owner,
      )
    ).data.exportProject;
  const shares = { train: 80, val: 20 };
  const refused = [
    { split: { shares } },
    { format: 'YOLO', split: {} },
    { format: 'YOLO', split: { shares: { train: 80, val: 30 } } },
    {
      format: 'YOLO',
      split: { shares, datasets: [{ datasetId: ids.data.dataset.id, part: 'VAL' }] },
    },
    { format: 'CSV', filter: 'CONFIG_ONLY', split: { shares } },
  ];
  for (const more of refused)
    expect(await ask(more)).toEqual({ problems: [{ path: ['input', 'split'] }] });
  const job = async (more: object): Promise<string> =>
    (await ask({ format: 'YOLO', ...more })).job.id;
  const first = await job({ split: { shares: { ...shares, seed: 7 } } });
  expect(await job({ split: { shares: { ...shares, seed: 7 } } })).toBe(first);
  expect(await job({ split: { shares: { ...shares, seed: 8 } } })).not.toBe(first);
  const byDataset = await job({
    split: { datasets: [{ datasetId: ids.data.dataset.id, part: 'VAL' }] },
  });
  const done = async (id = byDataset): Promise<any> =>
    (
      await app.gql(
        'query ($id: ID!) { node(id: $id) { ... on ExportJob { state downloadUrl split { shares { train val test seed } datasets { dataset { id } part } } } } }',
        { id },
        app.tokens.owner,
      )
    ).data.node;
  expect((await done(first)).split).toEqual({
    shares: { ...shares, test: 0, seed: 7 },
    datasets: null,
  });
  expect((await done()).split).toEqual({
    shares: null,
    datasets: [{ dataset: { id: ids.data.dataset.id }, part: 'VAL' }],
  });
  await expect.poll(async () => (await done()).state, { timeout: 30_000 }).toBe('SUCCEEDED');
  const { bytes } = await app.download(String((await done()).downloadUrl).slice(app.url.length));
  expect(bytes.includes(`"split": {\n    "datasets": {\n      "${datasets[1]}": "val"`)).toBe(true);
});

test('F227 in an encrypted workspace, labels and lists have the names of the decrypted images', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const secret = await app.project(workspace, dataset);
  await app.data(
    app.post('/api/Workspaces/enableEncryption', {
      workspaceId: workspace,
      checksum: 'x'.repeat(44),
    }),
  );
  const fields = { DatasetId: dataset, FileName: 'a.jpg', Width: '100', Height: '80' };
  const image = await app.data(
    app.upload({ ...fields, Image: randomBytes(64), Thumbnail: randomBytes(64) }),
  );
  const coco = {
    categories,
    images: [{ id: 0, file_name: 'a.jpg', uuid: image }],
    annotations: [{ id: 1, image_id: 0, category_id: 0, bbox: [10, 20, 30, 40] }],
  };
  await importFile(JSON.stringify(coco), secret);
  const yolo = await unpacked('&format=Yolo', secret);
  const name = `${dataset}/${image}-a`;
  expect(readFileSync(join(yolo, 'train.txt'), 'utf8')).toBe(`./images/${name}.jpg\n`);
  expect(readFileSync(join(yolo, `labels/${name}.txt`), 'utf8')).toBe('0 0.25 0.5 0.3 0.5\n');
  expect(readFileSync(join(yolo, `images/${name}.jpg.enc`)).length).toBe(64);
  expect(report(yolo).notes).toContain('the images are encrypted: decrypt them, and drop ".enc"');
  const voc = await unpacked('&format=PascalVoc', secret);
  expect(readFileSync(join(voc, `Annotations/${image}-a.xml`), 'utf8')).toContain(
    `<filename>${image}-a.jpg</filename>`,
  );
});

test('F227 however many annotations images have, few are in memory at once but of large ones, and none is left out', async () => {
  const MIB = 1024 * 1024;
  const image = fc.record({
    id: fc.uuid(),
    annotationCount: fc.integer({ min: 0, max: 5000 }),
    bytes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * MIB })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(image, { maxLength: 600 }), async (selected) => {
      const bytes = new Map(selected.map((one) => [one.id, one.bytes]));
      const batches: string[][] = [];
      const bytesOf = () => Promise.resolve(bytes);
      for await (const { ids, isLarge } of batchImages({ bytesOf }, selected)) {
        expect(isLarge).toBe(ids.length === 1 && (bytes.get(ids[0] ?? '') ?? 0) > MIB);
        batches.push(ids);
      }
      expect(batches.flat()).toEqual(selected.map(({ id }) => id));
      let at = 0;
      for (const { length } of batches) {
        const counts = selected.slice(at, (at += length)).map((one) => one.annotationCount);
        const sum = counts.reduce((all, one) => all + one, 0);
        const size = selected.slice(at - length, at).reduce((all, one) => all + one.bytes, 0);
        expect(length >= 1 && length <= 200).toBe(true);
        expect(length === 1 || (sum <= 4000 && size <= MIB)).toBe(true);
      }
    }),
  );
});

test('F227 100,000 annotations are exported with flat memory', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const many = await app.project(workspace, dataset);
  await app.services.db.rows(
    `INSERT INTO annotation_class (id, project_id, name, color, position) VALUES ($1, $2, 'bolt', '#000000', 1)`,
    [randomUUID(), many],
  );
  for (let n = 0; n < 50; n++) await app.image(dataset, await jpeg(WIDTH, HEIGHT), `${n}.jpg`);
  await app.services.db.rows(
    `INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, created_at)
      SELECT gen_random_uuid(), i.id, c.project_id, c.id, 'POLYGON', jsonb_build_array(jsonb_build_array(n % 50, 1, n % 50 + 20, 1, n % 50 + 20, 40, n % 50, 40)), now()
      FROM image i, annotation_class c, generate_series(1, 2000) n WHERE i.dataset_id = $1 AND c.project_id = $2`,
    [dataset, many],
  );
  const grown = heapGrowth(150_000_000);
  const answer = await fetch(`${app.url}${path('&format=YoloSegment', many)}`, {
    headers: { 'x-service-csrf-token-x': app.tokens.owner },
  });
  let [bytes, peak] = [0, 0];
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    peak = Math.max(peak, grown());
  }
  expect(bytes).toBeGreaterThan(25_000_000);
  // All of them at once would take more than 200 MB.
  expect(peak).toBeLessThan(150_000_000);
}, 120_000);

test('F227 images with more than 1 MiB of annotations are loaded one after the other, whoever exports them, and wait on the disk for whoever reads slowly', async () => {
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const large = await app.project(workspace, dataset);
  for (let n = 0; n < 3; n++) await app.image(dataset, await jpeg(WIDTH, HEIGHT), `${n}.jpg`);
  const { db } = app.services;
  await db.rows(
    `WITH c AS (INSERT INTO annotation_class (id, project_id, name, color, position) VALUES (gen_random_uuid(), $2, 'bolt', '#000000', 1) RETURNING id)
     INSERT INTO annotation (id, image_id, project_id, class_id, shape, geometry, created_at)
      SELECT gen_random_uuid(), i.id, $2, c.id, 'POLYGON', (SELECT jsonb_build_array(jsonb_agg(m % 70)) FROM generate_series(1, 100000) m), now()
      FROM image i, c, generate_series(1, 5) n WHERE i.dataset_id = $1`,
    [dataset, large],
  );
  let [loading, most] = [0, 0];
  const stop = interceptRows(db, (run) => async (text, ...rest) => {
    const isLoad = /^SELECT a\.image_id, a\.class_id/.test(text);
    if (isLoad) most = Math.max(most, ++loading);
    return run(text, ...rest).finally(() => isLoad && loading--);
  });
  const download = async (format: string): Promise<number> => {
    const answer = await fetch(`${app.url}${path(format, large)}`, {
      headers: { 'x-service-csrf-token-x': app.tokens.owner },
    });
    return (await answer.arrayBuffer()).byteLength;
  };
  const sizes = await Promise.all(['', '&format=YoloSegment', '&format=PascalVoc'].map(download));
  stop();
  for (const size of sizes) expect(size).toBeGreaterThan(3 * 5 * 500_000);
  expect(most).toBe(1);

  const staging = join(app.folder, 'blobs', 'staging');
  const waiting = () => spawnSync('grep', ['-rl', '"imageId"', staging]).stdout.toString();
  const slow = await fetch(`${app.url}${path('', large)}`, {
    headers: { 'x-service-csrf-token-x': app.tokens.owner },
  });
  await expect.poll(waiting, { timeout: 30_000 }).not.toBe('');
  expect((await slow.arrayBuffer()).byteLength).toBe(sizes[0]);
  await expect.poll(() => readdirSync(staging)).toEqual([]);
}, 60_000);

test('F227 the outline of a mask covers exactly its pixels; a brush too', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.infiniteStream(fc.boolean()),
      (width, height, bits) => {
        const pixels = [...bits.take(width * height)];
        const counts: number[] = [0];
        for (const [at, inside] of pixels.entries()) {
          if (inside !== (counts.length % 2 === 0)) counts.push(0);
          counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
          expect(at).toBeLessThan(pixels.length);
        }
        const mask = { size: [height, width] as [number, number], counts };
        const ring = joinRings(traceMask(mask));
        const packed = packBrush(mask, 1_000) ?? [];
        const brush = readBrush(packed);
        const back = unpackBrush(packed, { width, height });
        expect(
          'fault' in back ? back : readMask(back, { width, height }) && pixelsOf(back),
        ).toEqual(pixels);
        for (let x = 0; x < width; x++)
          for (let y = 0; y < height; y++) {
            expect(inside(ring, x + 0.4871, y + 0.4313)).toBe(pixels[x * height + y]);
            expect(brush[y * width + x]).toBe(pixels[x * height + y]);
          }
      },
    ),
    { numRuns: 300 },
  );
  const square = { size: [3, 3] as [number, number], counts: [0, 4, 1, 4] };
  expect(traceMask(square)).toEqual([
    [0, 0, 3, 0, 3, 3, 0, 3],
    [2, 1, 1, 1, 1, 2, 2, 2],
  ]);
});

function pixelsOf(mask: Mask): boolean[] {
  return (runsOf(mask) ?? []).flatMap((run, at) => Array<boolean>(run).fill(at % 2 === 1));
}

test('F227 a mask of too many runs is left out of outlines and brushes, which others would wait for', async () => {
  const [width, height] = [320, 321];
  const workspace = await app.workspace();
  const dataset = await app.dataset(workspace);
  const id = await app.project(workspace, dataset);
  const image = await app.image(dataset, await jpeg(width, height), 'board.jpg');
  // A chessboard: no run is longer than one pixel.
  const counts = `111${'0'.repeat(width * height - 3)}`;
  const segmentation = { size: [height, width], counts };
  const file = {
    categories,
    images: [{ id: 1, file_name: 'board.jpg', uuid: image }],
    annotations: [{ id: 1, image_id: 1, category_id: 0, segmentation }],
  };
  await importFile(JSON.stringify(file), id);
  for (const [format, why] of [
    ['YoloSegment', 'its outline would have too many corners'],
    ['LabelStudio', 'its brush would be too large for Label Studio'],
  ]) {
    const { annotations: said } = report(await unpacked(`&format=${format}`, id));
    expect(said).toEqual([{ class: 'bolt', shape: 'MASK', outcome: 'LEFT_OUT', why, count: 1 }]);
  }
});

test('F227 a large image costs what its masks have of runs, and no brush of stripes across it is written or read', () => {
  const side = 32_000;
  const size: [number, number] = [side, side];
  const image = { width: side, height: side };
  const whole = { size, counts: [0, side * side] };
  const packed = packBrush(whole, 1_000_000) ?? [];
  expect(packed.length).toBeLessThan(300_000);
  expect(unpackBrush(packed, image)).toEqual(whole);
  // Upright stripes are one run a column, and as many runs a row.
  const upright = { size, counts: Array<number>(side).fill(side) };
  expect(packBrush(upright, 1_000_000)).toBeUndefined();
  expect(unpackBrush(lyingStripes(side, 40), image)).toEqual({
    fault: 'is a brush of more than 1000000 pieces',
  });
  expect(packBrush({ size: [100_000, 100_000], counts: [10 ** 10] }, 1_000_000)).toBeUndefined();
});

/** The brush of a square of so many stripes of equal height, as another program would write it: runs of 2^16 values at most. */
function lyingStripes(side: number, stripes: number): number[] {
  const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0');
  const parts = [bits(side * side * 4, 32), bits(7, 5), bits(15, 4).repeat(4)];
  for (let stripe = 0; stripe < stripes; stripe++)
    for (let left = (side * side * 4) / stripes; left > 0; left -= 2 ** 16)
      parts.push('111', bits(Math.min(left, 2 ** 16) - 1, 16), bits((stripe % 2) * 255, 8));
  return (parts.join('').match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2));
}

/** Is a place inside a ring, by the even-odd rule? */
function inside(ring: readonly number[], x: number, y: number): boolean {
  let odd = false;
  for (let at = 0; at < ring.length; at += 2) {
    const [x1 = 0, y1 = 0] = [ring[at], ring[at + 1]];
    const [x2 = 0, y2 = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) odd = !odd;
  }
  return odd;
}
