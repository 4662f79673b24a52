import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unzip } from '../../support/archives.ts';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';
import { interceptRows } from '../../support/intercept-rows.ts';

let app: DatasetApp;
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
});
afterAll(() => app.close());

const gql = async (query: string, variables: object): Promise<any> =>
  (await app.gql(query, variables, app.tokens.owner)).data;
const download = async (project: string, format: string) =>
  app.download(`/api/Projects/export?projectId=${project}&dataFilter=All&format=${format}`);

describe('a class that comes while a project is exported', () => {
  let project: string;
  let ids: { project: string; image: string };
  beforeAll(async () => {
    const workspace = await app.workspace();
    const dataset = await app.dataset(workspace);
    project = await app.project(workspace, dataset);
    const image = await app.image(dataset, await jpeg(100, 80));
    const found = await gql(
      'query ($p: UUID!, $i: UUID!) { project(uuid: $p) { id } image(uuid: $i) { id } }',
      { p: project, i: image },
    );
    ids = { project: found.project.id, image: found.image.id };
    await addClass('bolt');
  });

  const addClass = (name: string) =>
    gql(
      'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
      { input: { projectId: ids.project, classes: [{ name }] } },
    );
  const box = { shape: 'BBOX', geometry: [10, 20, 30, 40] };
  const annotate = (className: string, drawn: object = box) =>
    gql('mutation ($input: AnnotateImageInput!) { annotateImage(input: $input) { __typename } }', {
      input: {
        projectId: ids.project,
        imageId: ids.image,
        annotations: [{ className, ...drawn }],
      },
    });
  /** Files by the start of their names, of an export during which the class comes, with an annotation. */
  const exportWhileComes = async (name: string, format: string, drawn: object, before = box) => {
    await annotate('bolt', before);
    let added: Promise<void> | undefined;
    const restore = interceptRows(app.services.db, (run) => async (text, ...rest) => {
      // After the images were chosen, and before their annotations are read.
      if (/^SELECT a\.image_id, a\.class_id/.test(text) && !added)
        await (added = addClass(name).then(() => annotate(name, drawn)));
      return run(text, ...rest);
    });
    const { bytes } = await download(project, format).finally(restore);
    expect(added).toBeDefined();
    const files = new Map((await unzip(bytes)).map((file) => [file.name, file.bytes.toString()]));
    return (start: string): string =>
      [...files].find(([path]) => path.startsWith(start))?.[1] ?? '';
  };

  test.each([
    ['nut', 'YOLO'],
    ['rivet', 'COCO'],
  ])('is among its classes: %s in %s', async (name, format) => {
    const named = await exportWhileComes(name, format, box);
    const coco = JSON.parse(named('coco/annotations.json'));
    const categories = new Map(coco.categories.map((one: any) => [one.id, one.name]));
    expect(coco.annotations.map((one: any) => categories.get(one.category_id))).toEqual([name]);
    const { classes } = JSON.parse(named('project.json'));
    expect(classes.map((one: any) => one.name)).toContain(name);
    if (format === 'YOLO') {
      const index = classes.findIndex((one: any) => one.name === name);
      expect(named('labels/')).toMatch(new RegExp(`^${index} `));
      expect(named('data.yaml')).toContain(`  ${index}: "${name}"\n`);
    }
  });

  test('has its points in COCO; YOLO, which needs their number first, says how many it lacks', async () => {
    const drawn = { shape: 'POINTS', geometry: [10, 20, 2, 30, 40, 2, 50, 60, 1] };
    const before = { shape: 'POINTS', geometry: [10, 20, 2] };
    const named = await exportWhileComes('hinge', 'YoloPose', drawn, before);
    const { categories } = JSON.parse(named('coco/annotations.json'));
    expect(categories).toContainEqual(
      expect.objectContaining({ name: 'hinge', keypoints: ['1', '2', '3'] }),
    );
    expect(named('data.yaml')).toContain('kpt_shape: [1, 3]');
    expect(JSON.parse(named('report.json')).annotations).toEqual([
      expect.objectContaining({ class: 'hinge', why: 'only 1 of its points' }),
    ]);
  });
});

test('a name whose hundredth character needs two code units is cut behind it, for the file of an export', async () => {
  const name = `a${'\u{20000}'.repeat(120)}`;
  const project = await app.project(await app.workspace(), undefined, name);
  const { status, headers } = await download(project, 'Native');
  expect(status).toBe(200);
  const [, encoded = ''] =
    /filename\*=UTF-8''(.*)$/.exec(headers.get('content-disposition') ?? '') ?? [];
  expect(decodeURIComponent(encoded)).toBe(`a${'\u{20000}'.repeat(99)}-2026-11-20.zip`);
});
