import { Readable } from 'node:stream';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import type { SignedInContext, Services } from '../core/context/context.ts';
import type { Signal } from '../core/signal.ts';
import { backgroundContext } from '../dataset-management/content/background-context.ts';
import { createDataset } from '../dataset-management/datasets/create-dataset.ts';
import { publishDataset } from '../dataset-management/datasets/publish-dataset.ts';
import { addImage } from '../dataset-management/images/upload/add-image.ts';
import { addAnnotationClasses } from '../dataset-management/projects/annotations/add-annotation-classes.ts';
import { annotateImage } from '../dataset-management/projects/annotations/annotate-image.ts';
import { assignDataset } from '../dataset-management/projects/assign-dataset.ts';
import { createProject } from '../dataset-management/projects/create-project.ts';
import type { AnnotationInput } from '../dataset-management/projects/annotations/geometry.ts';
import { reviewImage } from '../dataset-management/projects/annotations/review-image.ts';
import { createWorkspace } from '../dataset-management/workspaces/create-workspace.ts';
import { deleteWorkspace } from '../dataset-management/workspaces/delete-workspace.ts';
import { enableEncryption } from '../dataset-management/workspaces/enable-encryption.ts';
import { checksum, encrypt, importKey } from '../sdk/e2ee.ts';
import { createRandom, type Random } from './demo/random.ts';

/** The key of the demo's encrypted workspace, also given in docs/datasets.md. */
const DEMO_KEY = '7472697669756d2d64656d6f2d6b6579000102030405060708090a0b0c0d0e0f';

const SHELVES = 18;
const FLYERS = 10;
const SECRETS = 4;

/** The last image that is loaded: where it is, all of them are. */
const LAST = `incident-${SECRETS}.jpg`;

/**
 * Loads the datasets of the demo through the operations: two workspaces, one of them encrypted, and a project. Its users must
 * exist; does nothing when they have workspaces; to `repair` it, when they have all of it; unless it is to be loaded `again`.
 * What is there of it is deleted first, softly. With the signal, it ends before what is not yet begun.
 */
export async function loadDatasetDemo(
  services: Services,
  options: { again?: boolean; repair?: boolean; signal?: Signal } = {},
): Promise<void> {
  const whole = { workspace: { datasets: { some: { images: { some: { name: LAST } } } } } };
  const there = options.repair ? whole : {};
  const user = await services.db.prisma.user.findUnique({
    where: { login: 'leader', ...(options.again ? {} : { workspaces: { none: there } }) },
    select: { id: true, login: true, displayName: true, domainId: true },
  });
  if (!user) return;
  const ctx = { ...backgroundContext(services, user, 'demo'), signal: options.signal };
  const names = ['Store images', 'Incident photos'];
  const halves = await services.db.prisma.workspace.findMany({
    where: { name: { in: names }, deletedAt: null, members: { some: { userId: user.id } } },
    select: { id: true },
  });
  for (const { id } of halves) await deleteWorkspace(ctx, { workspaceId: id });
  // The gateway already answers: memory matters more here than speed.
  sharp.cache(false);
  sharp.concurrency(1);
  const random = createRandom(20_260_106);
  await loadStores(ctx, random);
  await loadEncrypted(ctx, random);
}

async function loadStores(ctx: SignedInContext, random: Random): Promise<void> {
  const { created: workspace } = await createWorkspace(ctx, { name: 'Store images' });
  await join(ctx, workspace.id, ['associate', 'supervisor']);
  const { created: shelves } = await createDataset(ctx, {
    workspaceId: workspace.id,
    name: 'Shelves',
    description: 'Photos of shelves from store walks',
  });
  const { created: flyers } = await createDataset(ctx, {
    workspaceId: workspace.id,
    name: 'Flyers',
    description: 'Scans of this week’s flyers',
  });
  const { created: project } = await createProject(ctx, {
    workspaceId: workspace.id,
    name: 'Shelf gaps',
    description: 'Find empty facings and price labels',
  });
  await assignDataset(ctx, { projectId: project.id, datasetId: shelves.id });
  await assignDataset(ctx, { projectId: project.id, datasetId: flyers.id });
  await addAnnotationClasses(ctx, {
    projectId: project.id,
    classes: [
      { name: 'gap', color: '#b42318' },
      { name: 'price label', color: '#2563eb' },
    ],
  });
  for (let n = 1; n <= SHELVES; n++) {
    const { bytes, annotations } = await shelf(random);
    const image = await add(ctx, shelves.id, `shelf-${String(n).padStart(2, '0')}.jpg`, bytes);
    if (n > 14) continue;
    await annotateImage(ctx, {
      projectId: project.id,
      imageId: image,
      annotations: n % 5 === 0 ? [] : annotations,
    });
    if (n <= 8)
      await reviewImage(ctx, {
        projectId: project.id,
        imageId: image,
        state: n === 7 ? 'REJECTED' : 'ACCEPTED',
      });
  }
  for (let n = 1; n <= FLYERS; n++)
    await add(ctx, flyers.id, `flyer-${n}.png`, await flyer(random));
  await publishDataset(ctx, { datasetId: flyers.id });
}

async function loadEncrypted(ctx: SignedInContext, random: Random): Promise<void> {
  const { created: workspace } = await createWorkspace(ctx, { name: 'Incident photos' });
  const key = await importKey(DEMO_KEY);
  await enableEncryption(ctx, {
    workspaceId: workspace.id,
    checksum: await checksum(key, workspace.id),
  });
  const { created: dataset } = await createDataset(ctx, {
    workspaceId: workspace.id,
    name: 'Incidents',
    description: 'Readable with the key of the workspace only',
  });
  for (let n = 1; n <= SECRETS; n++) {
    const { bytes } = await shelf(random);
    const small = await sharp(bytes)
      .resize(270, 200, { fit: 'contain', background: '#ffffff' })
      .jpeg()
      .toBuffer();
    const stage = async (plain: Buffer) =>
      ctx.storage.stage(Readable.from([await encrypt(key, plain)]));
    await addImage(ctx, {
      datasetId: dataset.id,
      fileName: `incident-${n}.jpg`,
      image: await stage(bytes),
      thumbnail: await stage(small),
      width: 640,
      height: 480,
    });
  }
}

async function add(
  ctx: SignedInContext,
  datasetId: string,
  fileName: string,
  bytes: Buffer,
): Promise<string> {
  const image = await ctx.storage.stage(Readable.from([bytes]));
  const unknown = { thumbnail: undefined, width: undefined, height: undefined };
  return (await addImage(ctx, { datasetId, fileName, image, ...unknown })).answer;
}

async function join(
  ctx: SignedInContext,
  workspaceId: string,
  logins: readonly string[],
): Promise<void> {
  const users = await ctx.db.prisma.user.findMany({ where: { login: { in: [...logins] } } });
  await ctx.db.prisma.workspaceMember.createMany({
    data: users.map(({ id, login }) => ({
      workspaceId,
      userId: id,
      role: login === 'supervisor' ? 'MANAGER' : 'ANNOTATOR',
    })),
  });
}

/** A drawn shelf: three boards with coloured boxes, some of them missing, and a label below each board. */
async function shelf(random: Random): Promise<{ bytes: Buffer; annotations: AnnotationInput[] }> {
  const boxes: OverlayOptions[] = [];
  const annotations: AnnotationInput[] = [];
  for (let board = 0; board < 3; board++) {
    const top = 20 + board * 150;
    boxes.push(
      block([20, top + 110, 600, 10], '#8d6e63'),
      block([40, top + 124, 60, 14], '#fff59d'),
    );
    annotations.push({
      className: 'price label',
      shape: 'BBOX',
      geometry: [40, top + 124, 60, 14],
    });
    for (let place = 0; place < 8; place++) {
      const left = 24 + place * 74;
      if (random.chance(0.12))
        annotations.push({ className: 'gap', shape: 'BBOX', geometry: [left, top, 68, 110] });
      else boxes.push(block([left, top, 68, 110], `hsl(${random.int(360)}, 55%, 50%)`));
    }
  }
  return {
    bytes: await blank(640, 480, '#eceff1').composite(boxes).jpeg({ quality: 85 }).toBuffer(),
    annotations,
  };
}

function flyer(random: Random): Promise<Buffer> {
  const offers = [0, 1, 2, 3].map((n) =>
    block(
      [20 + (n % 2) * 170, 70 + Math.floor(n / 2) * 200, 150, 180],
      `hsl(${random.int(360)}, 70%, 60%)`,
    ),
  );
  return blank(360, 500, '#fffde7')
    .composite([block([20, 20, 320, 36], '#b42318'), ...offers])
    .png()
    .toBuffer();
}

const blank = (width: number, height: number, background: string): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

const block = (
  [left, top, width, height]: readonly [number, number, number, number],
  background: string,
): OverlayOptions => ({
  input: { create: { width, height, channels: 3, background } },
  left,
  top,
});
