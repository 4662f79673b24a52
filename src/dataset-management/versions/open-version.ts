import type { SignedInContext } from '../../core/context/context.ts';
import { parseUuid } from '../../core/uuid.ts';
import { refusal } from '../envelope/dataset-errors.ts';
import type { AnnotationClass } from '../projects/annotations/list-annotation-classes.ts';
import { readClasses } from './freeze/frozen-content.ts';
import { treesOf } from './freeze/finish-version.ts';
import { itemTexts } from './freeze/versions.sql.ts';
import { findVersion } from './find-version.ts';
import { loadVersion } from './load-version.ts';

/** A version as a project shows it. */
export interface OpenVersion {
  id: string;
  datasetId: string;
  number: number;
  digest: string;
  /** Chunks of its images, and of the work on them in the project. */
  imageChunks: number[];
  workChunks: number[];
  /** Of the project in the version, by position. */
  classes: AnnotationClass[];
}

const refuse = (message: string) => refusal('VALIDATION_ERROR', 'version', message);

/** A version that has the annotations of a project, which the viewer has been given. Throws ValidationError. */
export async function openVersion(
  ctx: SignedInContext,
  { versionId, projectId }: { versionId: string; projectId: string },
): Promise<OpenVersion> {
  const version = await loadVersion(ctx, versionId);
  if (!version) throw refuse('there is no such version');
  const { id, datasetId, number, digest, state } = version;
  if (digest === null) throw refuse(`version ${number} is ${state}`);
  const trees = await treesOf(ctx.db, id);
  const works = trees.find(({ ofId }) => ofId === projectId);
  if (!works || works.classes === null)
    throw refuse(`version ${number} does not have the annotations of this project`);
  const [classes] = await itemTexts.rows(ctx.db, { ids: [Number(works.classes)] });
  return {
    id,
    datasetId,
    number,
    digest,
    imageChunks: trees.find(({ ofId }) => ofId === datasetId)?.chunks.map(Number) ?? [],
    workChunks: works.chunks.map(Number),
    classes: classes ? readClasses(classes.content).classes : [],
  };
}

/** How REST and the command line name a version, in words. */
export const versionForm = '<dataset>:<number>, or the id of the version';

/** The id of the version that a request or a command line names. Throws ValidationError. */
export async function readVersion(ctx: SignedInContext, given: string): Promise<string> {
  const id = parseUuid(given);
  if (id !== undefined) return id;
  const [dataset = '', number = ''] = given.trim().split(':');
  const datasetId = parseUuid(dataset);
  if (datasetId === undefined || !/^\d{1,9}$/.test(number))
    throw refuse(`version is not ${versionForm}`);
  const found = await findVersion(ctx, { datasetId, number: Number(number) });
  if (!found) throw refuse('there is no such version');
  return found.id;
}
