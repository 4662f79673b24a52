import { randomUUID } from 'node:crypto';
import { tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { UnknownOutcomeError } from '../../../core/database/db.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
import { keyOfImport } from '../../content/object-keys.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { checkCaps } from '../../export/jobs/check-caps.ts';
import { lockCaps } from '../../export/selection/exports.sql.ts';
import { cleanFileName } from '../../images/upload/clean-file-name.ts';
import { requireProject } from '../../projects/load-project.ts';
import type { ImportFormat } from '../source/import-source.ts';
import { loadAnnotationImport, type AnnotationImport } from './load-annotation-import.ts';
import { runNextImport } from './run-annotation-import.ts';

const caps = { jobs: 'imports', cancel: 'cancelAnnotationImport', ofUser: 2, ofWorkspace: 10 };

export interface ImportAnnotationsArgs {
  projectId: string;
  file: StagedBlob | undefined;
  fileName: string | undefined;
  /** Null: that which the file looks like. */
  format: ImportFormat | null;
  dryRun: boolean;
  allowUnmatched: boolean;
  idempotencyKey?: string | null | undefined;
}

/**
 * Takes a file with annotations for a project, and reads it in the background: COCO or Label Studio as JSON, or an archive
 * with labels of YOLO or Pascal VOC. The staged file is gone afterwards. REST POST
 * /api/Projects/importAnnotations. Throws ValidationError, NotFoundError, ForbiddenError, IdempotencyError; E902 while too
 * many imports are under way.
 */
export async function importAnnotations(
  ctx: SignedInContext,
  args: ImportAnnotationsArgs,
): Promise<Created<AnnotationImport>> {
  const { file, format, dryRun, allowUnmatched } = args;
  try {
    tellObject(ctx, 'Project', args.projectId);
    const project = await requireProject(ctx, args.projectId, 'change');
    if (!file || file.size === 0)
      throw refusal('VALIDATION_ERROR', 'File', 'File is missing or empty');
    const name = cleanFileName(args.fileName ?? 'annotations');
    const request = { projectId: project.id, name, format, dryRun, allowUnmatched };
    const { sha256, size: byteSize } = file;
    const id = randomUUID();
    const storageKey = keyOfImport(id);
    await ctx.storage.put(file, storageKey);
    let kept = false;
    try {
      const { answer, replayed } = await createOnce(
        ctx,
        {
          typename: 'AnnotationImport',
          operation: 'importAnnotations',
          key: args.idempotencyKey,
          request: { ...request, sha256 },
        },
        async ({ db }) => {
          const { userId } = ctx.viewer;
          const { workspaceId } = project;
          await lockCaps.rows(db, { userId, workspaceId });
          await checkCaps(
            (where) => db.prisma.annotationImport.count({ where }),
            { ownerId: userId, workspaceId },
            caps,
          );
          const createdAt = new Date(ctx.clock());
          await db.prisma.annotationImport.create({
            data: { ...request, id, ownerId: userId, storageKey, byteSize, sha256, createdAt },
          });
          return id;
        },
      );
      kept = answer === id;
      if (!replayed) ctx.background(() => runNextImport(ctx));
      const job = await loadAnnotationImport(ctx, answer);
      if (!job) throw new NotFoundError('AnnotationImport');
      return { created: job, replayed };
    } catch (error) {
      // Its row may still appear; without one, the sweep removes the file.
      kept ||= error instanceof UnknownOutcomeError;
      throw error;
    } finally {
      if (!kept) await ctx.storage.delete(storageKey);
    }
  } finally {
    await file?.discard();
  }
}
