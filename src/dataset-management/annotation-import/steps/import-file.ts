import { stat } from 'node:fs/promises';
import type { SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { forgetImages } from '../../images/load-image.ts';
import { requireProject } from '../../projects/load-project.ts';
import { waitWithoutLimit } from '../../projects/projects.sql.ts';
import { writeClasses } from '../../projects/write-classes.ts';
import { FileFault } from '../files/file-fault.ts';
import { ImportFaults, RefusedAnnotationsError } from '../source/import-faults.ts';
import type { ImportFormat } from '../source/import-source.ts';
import { openSource } from './open-source.ts';
import { planImport } from './plan-import.ts';
import { ChangedMeanwhileError, writeImages } from './write-images.ts';

/** Faults that a command lists. */
const LISTED = 100;

export interface ImportOutcome {
  images: number;
  annotations: number;
  /** Names that no image of the project has, or several have; empty unless they are allowed. */
  unmatched: string[];
}

export interface FileImport {
  projectId: string;
  /** The local file. */
  path: string;
  /** Its name in error messages. */
  name: string;
  format: ImportFormat | null;
  /** Leave out images that are not found in the project, instead of refusing the file. */
  allowUnmatched?: boolean;
  onProgress?: (images: number, all: number) => void;
}

/**
 * Reads a file with annotations into a project in one transaction, all of it or nothing: its categories become classes, with
 * their supercategories and skeletons, its annotations replace those of each image. An export gives geometry, keypoints,
 * `attributes`, `area` and `iscrowd` back as they were; what can't be stored is refused. Used by `trivium project
 * import-coco`. Throws RefusedAnnotationsError.
 */
export async function importFile(ctx: SignedInContext, args: FileImport): Promise<ImportOutcome> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const faults = new ImportFaults(LISTED);
  const scratch: StagedBlob[] = [];
  const { path, name, format, allowUnmatched = false } = args;
  const refuse = (message: string): never => {
    faults.add({ file: name, message });
    throw new RefusedAnnotationsError(name, faults);
  };
  try {
    const { size } = await stat(path);
    const options = { format, faults, storage: ctx.storage, scratch };
    const source = await openSource({ path, size, name }, options);
    const mostNames = Number.MAX_SAFE_INTEGER;
    const plan = { projectId: project.id, source, faults, allowUnmatched, mostNames };
    const { classes, images, annotations, unmatched } = await planImport(ctx, plan);
    if (faults.total > 0) throw new RefusedAnnotationsError(name, faults);
    let done = 0;
    await inTransaction(ctx, async (tx) => {
      await waitWithoutLimit.rows(tx.db, {});
      await writeClasses(tx.db, project.id, classes);
      await writeImages(tx, project.id, images, () => {
        done++;
        args.onProgress?.(done, images.length);
      });
    });
    forgetImages(ctx);
    return { images: images.length, annotations, unmatched: unmatched.listed };
  } catch (error) {
    if (error instanceof FileFault) return refuse(`the file ${error.message}`);
    if (error instanceof ChangedMeanwhileError) return refuse(error.message);
    throw error;
  } finally {
    await Promise.all(scratch.map((blob) => blob.discard()));
  }
}
