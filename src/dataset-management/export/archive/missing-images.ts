import type { Context } from '../../../core/context/context.ts';
import { findMissing } from '../../images/blobs/find-missing.ts';
import type { ExportedImage } from '../selection/select-images.ts';
import { openSpool, type Spool } from '../files/spool.ts';

/**
 * The images of an export whose files the storage has lost: it goes on without these files, and says so at its end in
 * `missing.txt`.
 */
export interface MissingImages {
  readonly count: number;
  /** Looks for the files of some images; returns the images that have none, and logs them. */
  among(images: readonly ExportedImage[]): Promise<ReadonlySet<ExportedImage>>;
  /** Notes the path at which a file would stand. */
  note(path: string): Promise<void>;
  /** The paths, one a line. */
  readonly list: Spool;
}

/** Begins with none missing. */
export function noteMissing(ctx: Context, projectId: string): MissingImages {
  const list = openSpool(ctx.storage);
  let count = 0;
  return {
    list,
    get count() {
      return count;
    },
    async among(images) {
      const missing = await findMissing(ctx, images);
      if (missing.size > 0)
        ctx.log.error(
          {
            requestId: ctx.requestId,
            project: projectId,
            images: [...missing].map(({ id, storageKey }) => ({ id, storageKey })),
          },
          'the storage has lost files of images: exported without them',
        );
      return missing;
    },
    async note(path) {
      count++;
      await list.write(`${path}\n`);
    },
  };
}
