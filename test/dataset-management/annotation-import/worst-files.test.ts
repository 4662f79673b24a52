import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseJson } from '../../../src/dataset-management/annotation-import/files/json-scanner.ts';
import { linesOf } from '../../../src/dataset-management/annotation-import/files/lines-of.ts';
import { readDataYaml } from '../../../src/dataset-management/annotation-import/files/read-yaml.ts';
import { readXml } from '../../../src/dataset-management/annotation-import/files/read-xml.ts';
import { cocoAnnotationSchema } from '../../../src/dataset-management/annotation-import/formats/coco-annotation.ts';
import { categorySchema } from '../../../src/dataset-management/annotation-import/formats/coco-category.ts';
import { ZipFile } from '../../../src/dataset-management/annotation-import/files/zip-file.ts';
import {
  annotationsOf,
  classNamesOf,
} from '../../../src/dataset-management/annotation-import/formats/label-studio-regions.ts';
import {
  imageOf,
  parseTask,
} from '../../../src/dataset-management/annotation-import/formats/label-studio-task.ts';
import {
  NUMBER,
  yoloSource,
} from '../../../src/dataset-management/annotation-import/formats/yolo-source.ts';
import { vocSource } from '../../../src/dataset-management/annotation-import/formats/voc-source.ts';
import { cocoSource } from '../../../src/dataset-management/annotation-import/formats/coco-source.ts';
import { ImportFaults } from '../../../src/dataset-management/annotation-import/source/import-faults.ts';
import { chooserOf } from '../../../src/dataset-management/annotation-import/steps/choose-image.ts';
import { checkImage } from '../../../src/dataset-management/annotation-import/steps/check-image.ts';
import { heapInUse } from '../../support/memory.ts';
import { zipOf } from '../../support/zip-of.ts';

const size = { width: 100, height: 100 };
const value = { x: 1, y: 1, width: 9, height: 9, labels: [] };

/** Each would take minutes to ages with a reader that goes over a text again for each of its parts. */
test('no text takes longer than in proportion to its length', () => {
  const long = 1_000_000;
  expect(readDataYaml(`names: [\n${'a,\n'.repeat(long)}]`).names?.size).toBe(long);
  expect(readDataYaml(`names:\n - a${' '.repeat(long)}b # c`).names?.get(0)?.length).toBe(long + 2);
  expect(readDataYaml(`names: ["${'\\"'.repeat(long)}"]`).names?.get(0)?.length).toBe(long);
  expect(() => readDataYaml(`names: [\n${'""'.repeat(long)} #\u2028`)).toThrow('is no YAML');
  expect(() => readDataYaml('names: []\n'.repeat(long))).toThrow('duplicated');
  expect(() => readDataYaml('['.repeat(long))).toThrow('nesting');
  expect(NUMBER.test(`${'1'.repeat(long)}x`)).toBe(false);
  expect(imageOf({ data: { image: '/local-files?'.repeat(long) } })).toBeUndefined();
  expect(imageOf({ data: { text: `${'.jpg?'.repeat(long)}\n` } })).toBeUndefined();
});

test('the lines of a file are read one after the other, not held all at once', () => {
  const mixed = 'a\r\nb\rc\n\nd';
  expect([...linesOf(mixed)]).toEqual(['a', 'b', 'c', '', 'd']);
  expect([...linesOf('a\n')]).toEqual(['a', '']);
  const lines = linesOf('\n'.repeat(8_000_000));
  const before = heapInUse();
  expect(lines.next().value).toBe('');
  expect(heapInUse() - before).toBeLessThan(20_000_000);
  expect([...lines]).toHaveLength(8_000_000);
});

test('parts of one annotation are joined in one go', async () => {
  const many = 50_000;
  const point = { type: 'keypointlabels', value: { ...value, keypointlabels: ['a'] } };
  const points = Array.from({ length: many }, () => ({ ...point, parentID: 'box' }));
  const box = { id: 'box', type: 'rectanglelabels', value: { ...value, rectanglelabels: ['a'] } };
  const faults: string[] = [];
  const fault = (object: string) => faults.push(object);
  const [joined, ...others] = await annotationsOf([box, ...points], size, fault);
  expect(joined?.geometry).toHaveLength(3 * many);
  const ring = [[1, 1], [2, 2], [3, 1]]; // prettier-ignore
  const polygon = { type: 'polygonlabels', value: { points: ring, polygonlabels: ['a'] } };
  const rings = Array.from({ length: many }, () => ({ ...polygon, parentID: 'first' }));
  const [whole, ...rest] = await annotationsOf(
    [{ ...polygon, id: 'first' }, ...rings],
    size,
    fault,
  );
  expect(whole?.geometry).toHaveLength(many + 1);
  expect([others, rest, faults]).toEqual([[], [], []]);
});

test('images of one name are told apart without a look at all of them', () => {
  const numbers = Array.from({ length: 100_000 }, (_, n) => n);
  const name = 'rgb.png';
  const datasetName = 'scenes';
  const images = numbers.map((n) => ({ name, datasetName, path: `scans/${n}/${name}` }));
  const same = (text: string): string => text;
  const choose = chooserOf(images, same, same);
  const find = (...folders: string[]) =>
    choose({ whole: [...folders, name].join('/'), folders, form: name });
  for (const n of numbers) {
    expect(find('data', 'scans', String(n))).toBe(images[n]);
    expect(find(String(n))).toBe(images[n]);
  }
  expect([find('data', 'scans'), find(), find('scenes')]).toEqual(Array(3).fill(undefined));
});

test('a list of wrong things is one fault, not one for each', () => {
  const wrong = Array.from({ length: 100_000 }, () => 'x');
  const annotation = { image_id: 1, category_id: 1, keypoints: wrong, bbox: wrong };
  expect(cocoAnnotationSchema.safeParse(annotation).error?.issues).toHaveLength(2);
  const category = { id: 1, name: 'a', keypoints: wrong.map(() => 1), skeleton: wrong };
  expect(categorySchema.safeParse(category).error?.issues).toHaveLength(2);
  expect(parseTask({ data: {}, annotations: wrong })).toEqual({
    faults: ['annotations: is no list of at most 100 items'],
  });
});

test('long comments, literal texts and instructions are read, and too many attributes refused', () => {
  const long = 15_000_000;
  const text = `<?x ${'?'.repeat(long)}?><a><!--${'x'.repeat(long)}--><![CDATA[${'<'.repeat(long)}]]></a>`;
  expect(readXml(text).text).toHaveLength(long);
  expect(() => readXml(`<a${' b=""'.repeat(3_000_000)}x`)).toThrow('is');
  for (const wrong of [
    '<a><!-- -- --></a>',
    '<a><!-- </a>',
    '<a><? x?></a>',
    '<a>&x</a>',
    '<a>&</a>',
  ])
    expect(() => readXml(wrong), wrong).toThrow();
  expect(readXml('<a>&lt;&#65;&#x42;&amp;lt;</a>').text).toBe('<AB&lt;');
  expect(() => readXml('<a>'.repeat(51))).toThrow('too many elements');
  expect(() => readXml(`<a>${'<b/>'.repeat(200_000)}</a>`)).toThrow('too many elements');
});

test('quotes, commas and comments in the names of data.yaml', () => {
  const names = (text: string) => [...(readDataYaml(text).names?.values() ?? [])];
  expect(names(`names: ['it''s, a', "b # c", d'e, "f\\", g"] # x`)).toEqual([
    "it's, a",
    'b # c',
    "d'e",
    'f", g',
  ]);
  expect(names("names:\n  0: don't # x\n  1: 'a # b'\n")).toEqual(["don't", 'a # b']);
  expect(names('names: {0: a, 1: "b, c"}')).toEqual(['a', 'b, c']);
  expect(names('names: [yes, 007, ~]')).toEqual(['yes', '007', '~']);
  for (const wrong of ['[[a]]', '{a, b}', '[0: {a}]', 'a'])
    expect(() => names(`names: ${wrong}`), wrong).toThrow('not read');
  for (const wrong of [`['a, b]`, '["a]', 'a: b', '[a]\n---\nnames: [b]'])
    expect(() => names(`names: ${wrong}`), wrong).toThrow('is no YAML');
  for (const wrong of ['17,3', '[17, 3, 1]', '[[17, 3]]', '[17, 4]', '[a, 3]'])
    expect(() => readDataYaml(`kpt_shape: ${wrong}`), wrong).toThrow('kpt_shape');
  expect(readDataYaml('kpt_shape:\n- 17\n- 3').points).toEqual({ count: 17, numbers: 3 });
  expect(() => parseJson(Buffer.from('{'))).toThrow('is no JSON');
});

test('the outlines of an image take no more memory than their text, however short their numbers are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-outlines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.json');
  const ring = Array.from({ length: 90_000 }, (_, at) => at % 7);
  const annotations = Array.from({ length: 50 }, (_, id) => ({
    id,
    image_id: 1,
    category_id: 1,
    segmentation: [ring],
  }));
  const images = [{ id: 1, file_name: 'a.jpg' }];
  const file = JSON.stringify({ images, categories: [{ id: 1, name: 'a' }], annotations });
  writeFileSync(path, file);
  const faults = new ImportFaults(1);
  const [image] = (await cocoSource([{ path, name: 'a.json', folder: '' }], faults)).images;
  const before = heapInUse();
  const checked = image && (await checkImage(image, size, faults));
  expect(heapInUse() - before).toBeLessThan(2 * file.length);
  expect([checked?.length, faults.total]).toEqual([50, 0]);
});

/** Counts the turns of the event loop from now on; returns what ends that and says how many there were. */
function countTurns(): () => number {
  let [turns, isOver] = [0, false];
  const turn = () => {
    if (isOver) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

test('others have their turns while the images of a COCO file are put together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-images-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.json');
  const images = Array.from({ length: 20_000 }, (_, id) => ({ id, file_name: `${id}.jpg` }));
  writeFileSync(path, JSON.stringify({ categories: [], images }));
  const faults = new ImportFaults(1);
  let turns = () => 0;
  // That the file has no annotations is seen when all of it was read.
  faults.add = () => void (turns = countTurns());
  const source = await cocoSource([{ path, name: 'a.json', folder: '' }], faults);
  expect(turns()).toBeGreaterThanOrEqual(19);
  expect(source.images).toHaveLength(20_000);
});

test('others have their turns while the names in an archive are looked at', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.zip');
  const names = Array.from({ length: 20_000 }, (_, at) => `labels/${at}.txt`);
  const bytes = zipOf({ 'data.yaml': '', ...Object.fromEntries(names.map((name) => [name, ''])) });
  writeFileSync(path, bytes);
  const zip = await ZipFile.open(path, bytes.length);
  // Without a file that is read, turns are those that were given.
  zip.text = () => Promise.resolve('names: [a]');
  let turns = countTurns();
  expect((await yoloSource(zip)).images).toHaveLength(20_000);
  expect(turns()).toBeGreaterThanOrEqual(20);
  turns = countTurns();
  expect((await vocSource(zip, new ImportFaults(1))).images).toEqual([]);
  expect(turns()).toBeGreaterThanOrEqual(8);
});

test('others have their turns while the regions of a task are read', async () => {
  const region = { type: 'rectanglelabels', value: { ...value, rectanglelabels: ['a'] } };
  const regions = Array.from({ length: 20_000 }, () => region);
  let turns = countTurns();
  expect(await classNamesOf(regions)).toHaveLength(20_000);
  expect(turns()).toBeGreaterThanOrEqual(19);
  turns = countTurns();
  expect(await annotationsOf(regions, size, () => undefined)).toHaveLength(20_000);
  expect(turns()).toBeGreaterThanOrEqual(19);
});
