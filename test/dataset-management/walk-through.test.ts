import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drivers, startDatasetApp } from '../support/datasets.ts';
import { cliProgram } from '../support/trivium.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The command line is that of the checkout, wherever the commands run. */
const PRELUDE = `npm() { (cd '${root}' && command npm "$@"); }\n`;
/** The same without npm, of which one shell is enough. */
const QUICK = `npm() { [ "$1 $2 $3 $4" = 'run -s trivium --' ] && shift 4 && (cd '${root}' && '${process.execPath}' '${cliProgram}' "$@"); }\n`;

const shells = ['bash', 'dash', 'zsh'].filter((shell) => {
  try {
    execFileSync(shell, ['-c', ':']);
    return true;
  } catch {
    console.log(`not run: the walk-through in ${shell}, which is not installed`);
    return false;
  }
});
/** One shell on every storage, and every shell on one. */
const ways = [
  ...shells.map((shell) => [shell, 'filesystem'] as const),
  ...drivers.filter((driver) => driver !== 'filesystem').map((driver) => ['bash', driver] as const),
];

test.each(ways)(
  'every block of docs/datasets.md works by copy and paste, in %s, on %s',
  async (shell, driver) => {
    const guide = await readFile(new URL('../../docs/datasets.md', import.meta.url), 'utf8');
    const commands = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text).join('');
    const app = await startDatasetApp(driver);
    const folder = await mkdtemp(join(tmpdir(), 'trivium-walk-'));
    const read = (...path: string[]): Promise<string> => readFile(join(folder, ...path), 'utf8');
    try {
      await app.load([
        { record: 'user', login: 'leader', domain: 'one', password: 'demo' },
        { record: 'user', login: 'associate', domain: 'one' },
      ]);
      const { stdout } = await promisify(execFile)(
        shell,
        [
          '-eu',
          '-c',
          (shell === shells[0] && driver === drivers[0] ? PRELUDE : QUICK) +
            commands.replace('http://127.0.0.1:4000', app.url),
        ],
        { cwd: folder },
      );
      expect(await sharp(await readFile(join(folder, 'thumbnail.jpg'))).metadata()).toMatchObject({
        format: 'jpeg',
        width: 270,
        height: 200,
      });
      for (const [folder, file, content] of [
        ['yolo', 'data.yaml', 'val: train.txt'],
        ['segment', 'train.txt', './images/'],
        ['pose', 'data.yaml', 'kpt_shape: [2, 3]'],
        ['coco', 'coco/annotations.json', '"attributes":{"rusty":true}'],
        ['coco', 'coco/val.json', '"images": ['],
        ['voc', 'ImageSets/Main/trainval.txt', '-bolt'],
        ['label-studio', 'label-studio.json', 'rectanglelabels'],
        ['csv', 'annotations.csv', 'bolt.png'],
      ] as const)
        expect(await read(folder, file)).toContain(content);
      expect(stdout.slice(stdout.lastIndexOf("[{'id': 1"))).toMatch(
        /'category_id': 1, 'bbox': \[100, 80, 200, 150\]/,
      );
      expect(stdout).toContain(
        '{"login":"associate","displayName":"associate","role":"ANNOTATOR"},{"login":"leader","displayName":"leader","role":"OWNER"}',
      );
      expect(stdout).toContain('"version":3,"assignee":{"login":"associate"}');
      expect(stdout).toContain('"geometry":[100,80,210,150]');
      expect(stdout).toContain(
        '"assignments":[{"login":"associate","total":1,"none":0,"annotated":1}]',
      );
      const imports = [...stdout.matchAll(/"node":\{"state":"(\w+)","format":"(\w+)"/g)];
      expect(imports.map(([, state, format]) => [state, format])).toEqual([
        ['SUCCEEDED', 'PASCAL_VOC'],
        ['SUCCEEDED', 'COCO'],
        ['FAILED', 'YOLO'],
      ]);
      expect(stdout).toContain(
        '{"file":"labels/bolt.txt","image":"bolt","object":"line 2","message":"the file has no class 7"}',
      );
      expect(stdout).not.toContain('"errors":');
      expect(stdout).toMatch(/export\.zip: \d+ files as they were exported, signed by /);
      expect(stdout).toContain('/photos: 1 uploaded, 0 there already, 0 failed');
      const coco = JSON.parse(
        await readFile(join(folder, 'export', 'coco', 'annotations.json'), 'utf8'),
      );
      expect(coco.categories).toMatchObject([{ id: 1, name: 'bolt' }]);
      expect(await readFile(join(folder, 'export', coco.images[0].file_name))).toEqual(
        await readFile(join(folder, 'bolt.png')),
      );
    } finally {
      await app.close();
      await rm(folder, { recursive: true });
    }
  },
  240_000,
);
