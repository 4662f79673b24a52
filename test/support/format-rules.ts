import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';

/** The Python that reads archives; CI's has pycocotools where Debian offers it. */
export const python = process.env['PYTHON'] ?? 'python3';

/** Runs a script of Python, with arguments; returns what it prints as JSON. */
export function runPython(script: string, ...args: string[]): any {
  return JSON.parse(execFileSync(python, ['-c', script, ...args], { maxBuffer: 1e8 }).toString());
}

/** What a trainer of Ultralytics would see. */
export interface YoloData {
  names: string[];
  keypoints: number[] | undefined;
  /** Rows of each image by the name of its list. */
  parts: Record<string, { image: string; rows: number[][] }[]>;
}

/**
 * Reads an unpacked archive by the rules of Ultralytics: lists beside data.yaml, the label of an image where the last
 * `/images/` in its path is `/labels/`, rows of the length that the task wants, classes below the number of names,
 * places within 0 to 1.
 */
export async function readYolo(
  folder: string,
  task: 'detect' | 'segment' | 'pose',
): Promise<YoloData> {
  const yaml = readFileSync(join(folder, 'data.yaml'), 'utf8');
  const value = (key: string): string | undefined =>
    new RegExp(`^${key}: (.*)$`, 'm').exec(yaml)?.[1];
  expect(value('path')).toBeUndefined();
  const names = [...yaml.matchAll(/^ {2}(\d+): (".*")$/gm)].map(([, at, name], index) => {
    expect(Number(at)).toBe(index);
    return String(JSON.parse(name ?? ''));
  });
  expect(Number(value('nc'))).toBe(names.length);
  const shape = value('kpt_shape');
  const keypoints = shape === undefined ? undefined : (JSON.parse(shape) as number[]);
  expect(keypoints !== undefined).toBe(task === 'pose');
  const [count = 0, dimensions = 0] = keypoints ?? [];
  const parts: YoloData['parts'] = {};
  for (const part of ['train', 'val', 'test']) {
    const list = value(part);
    if (list === undefined) continue;
    const lines = readFileSync(join(folder, list), 'utf8').split('\n').filter(Boolean);
    expect(new Set(lines).size).toBe(lines.length);
    parts[part] = [];
    for (const line of lines) {
      expect(line.startsWith('./')).toBe(true);
      const image = join(folder, line);
      expect(image).toMatch(/\.(bmp|dng|jpeg|jpg|mpo|png|tif|tiff|webp|pfm|heic)$/i);
      const { format, width = 0, height = 0 } = await sharp(image).metadata();
      expect(['jpeg', 'png', 'webp', 'tiff']).toContain(format);
      expect(Math.min(width, height)).toBeGreaterThan(9);
      const at = image.lastIndexOf('/images/');
      const label = `${image.slice(0, at)}/labels/${image.slice(at + '/images/'.length)}`.replace(
        /\.[^.]*$/,
        '.txt',
      );
      expect(existsSync(label), label).toBe(true);
      const rows = readFileSync(label, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split(' ').map(Number));
      for (const [category = -1, ...numbers] of rows) {
        expect(Number.isInteger(category) && category >= 0 && category < names.length).toBe(true);
        if (task === 'detect') expect(numbers.length).toBe(4);
        else if (task === 'pose') expect(numbers.length).toBe(4 + count * dimensions);
        else expect(numbers.length >= 6 && numbers.length % 2 === 0).toBe(true);
        const places = numbers.filter(
          (_, index) => task !== 'pose' || index < 4 || (index - 4) % 3 < 2,
        );
        for (const place of places) expect(place >= 0 && place <= 1).toBe(true);
        for (const [index, seen] of numbers.slice(4).entries())
          if (task === 'pose' && index % 3 === 2) expect([0, 1, 2]).toContain(seen);
      }
      parts[part].push({ image: line.slice(2), rows });
    }
  }
  expect(parts['train'] && parts['val']).toBeTruthy();
  return { names, keypoints, parts };
}

/** Checks a COCO file by its own rules; the images must be in the folder. */
export function checkCoco(folder: string, path: string): any {
  const coco = JSON.parse(readFileSync(join(folder, path), 'utf8'));
  const idsOf = (list: { id: number }[]): Set<number> => {
    const ids = new Set(list.map(({ id }) => id));
    expect(ids.size).toBe(list.length);
    return ids;
  };
  const [categories, images] = [idsOf(coco.categories), idsOf(coco.images)];
  idsOf(coco.annotations);
  const sizes = new Map<number, any>(coco.images.map((image: any) => [image.id, image]));
  const points = new Map<number, string[] | undefined>(
    coco.categories.map(({ id, keypoints }: any) => [id, keypoints]),
  );
  for (const { file_name } of coco.images)
    expect(existsSync(join(folder, file_name)), file_name).toBe(true);
  for (const one of coco.annotations) {
    expect(images.has(one.image_id) && categories.has(one.category_id)).toBe(true);
    const { width, height } = sizes.get(one.image_id);
    const [x, y, w, h] = one.bbox;
    expect(
      w >= 0 && h >= 0 && x >= -1 && y >= -1 && x + w <= width + 1 && y + h <= height + 1,
    ).toBe(true);
    expect(one.area).toBeGreaterThanOrEqual(0);
    expect([0, 1]).toContain(one.iscrowd);
    if (Array.isArray(one.segmentation))
      for (const ring of one.segmentation)
        expect(ring.length >= 6 && ring.length % 2 === 0).toBe(true);
    else {
      expect(one.segmentation.size).toEqual([height, width]);
      const { counts } = one.segmentation;
      if (Array.isArray(counts))
        expect(counts.reduce((sum: number, run: number) => sum + run, 0)).toBe(width * height);
    }
    if (one.keypoints) {
      expect(one.keypoints.length % 3).toBe(0);
      expect(one.keypoints.length / 3).toBeLessThanOrEqual(
        points.get(one.category_id)?.length ?? 0,
      );
      expect(one.num_keypoints).toBe(
        one.keypoints.filter((v: number, at: number) => at % 3 === 2 && v > 0).length,
      );
    }
  }
  return coco;
}

const READ_VOC = `import sys, json, xml.etree.ElementTree as E
def tree(e): return e.text if len(e) == 0 else [[c.tag, tree(c)] for c in e]
print(json.dumps({p: tree(E.parse(p).getroot()) for p in sys.argv[1:]}))`;

/** Reads the annotations of Pascal VOC that a list names, by its rules. */
export async function readVoc(folder: string, list: string): Promise<Record<string, any[]>> {
  const stems = readFileSync(join(folder, 'ImageSets/Main', `${list}.txt`), 'utf8')
    .split('\n')
    .filter(Boolean);
  if (stems.length === 0) return {};
  const trees = runPython(
    READ_VOC,
    ...stems.map((stem) => join(folder, 'Annotations', `${stem}.xml`)),
  );
  const found: Record<string, any[]> = {};
  for (const stem of stems) {
    const parts: [string, any][] = trees[join(folder, 'Annotations', `${stem}.xml`)];
    const root = Object.fromEntries(parts);
    const file = join(folder, root.folder, root.filename);
    expect(root.folder).toBe('JPEGImages');
    expect(root.filename.replace(/\.[^.]*$/, '')).toBe(stem);
    const { width, height } = await sharp(file).metadata();
    const size = Object.fromEntries(root.size);
    expect([Number(size.width), Number(size.height)]).toEqual([width, height]);
    found[root.filename] = parts
      .filter(([tag]) => tag === 'object')
      .map(([, members]) => {
        const object = Object.fromEntries(members);
        const box = Object.fromEntries(
          object.bndbox.map(([tag, text]: [string, string]) => [tag, Number(text)]),
        );
        for (const number of Object.values(box)) expect(Number.isInteger(number)).toBe(true);
        expect(
          box.xmin >= 1 && box.ymin >= 1 && box.xmax <= Number(width) && box.ymax <= Number(height),
        ).toBe(true);
        expect(box.xmin <= box.xmax && box.ymin <= box.ymax).toBe(true);
        expect(['0', '1']).toContain(object.difficult);
        return { ...object, bndbox: box };
      });
  }
  return found;
}

/** Checks tasks of Label Studio against their set-up: controls, labels, percent, sizes; returns them. */
export function checkLabelStudio(folder: string): any[] {
  const tasks: any[] = JSON.parse(readFileSync(join(folder, 'label-studio.json'), 'utf8'));
  const xml = join(folder, 'label-studio.xml');
  const controls: Record<string, [string, string, string[]]> = runPython(
    `import sys, json, xml.etree.ElementTree as E
print(json.dumps({c.get('name'): [c.tag, c.get('toName'), [l.get('value') for l in c]] for c in E.parse(sys.argv[1]).getroot()}))`,
    xml,
  );
  expect(controls['image']?.[0]).toBe('Image');
  for (const task of tasks) {
    expect(existsSync(join(folder, decodeURIComponent(task.data.image.split('?d=')[1])))).toBe(
      true,
    );
    for (const { result } of task.annotations) {
      const ids = result.map(({ id }: any) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const region of result) {
        const [tag = '', toName, labels = []] = controls[region.from_name] ?? [];
        expect([tag.toLowerCase(), toName]).toEqual([region.type, region.to_name]);
        const named = region.value[region.type];
        expect(labels).toEqual(expect.arrayContaining(named));
        if (region.parentID !== undefined) expect(ids).toContain(region.parentID);
        if (region.type === 'choices') continue;
        expect(region.original_width > 0 && region.original_height > 0).toBe(true);
        const { x = 0, y = 0, width = 0, height = 0, points = [] } = region.value;
        for (const percent of [x, y, x + width, y + height, ...points.flat()])
          expect(percent >= 0 && percent <= 100.5).toBe(true);
      }
    }
  }
  return tasks;
}

/** The pixels, in rows, that a brush of Label Studio covers: read bit by bit as its converter does. */
export function readBrush(bytes: readonly number[]): boolean[] {
  let at = 0;
  const read = (bits: number): number => {
    let value = 0;
    for (; bits > 0; bits--, at++)
      value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const count = read(32);
  const word = read(5) + 1;
  const sizes = [0, 1, 2, 3].map(() => read(4) + 1);
  const values: number[] = [];
  while (values.length < count) {
    const same = read(1) === 1;
    const length = read(sizes[read(2)] ?? 0) + 1;
    const value = same ? read(word) : 0;
    for (let n = 0; n < length; n++) values.push(same ? value : read(word));
  }
  expect(values.length).toBe(count);
  return values.filter((_, index) => index % 4 === 3).map((value) => value > 0);
}
