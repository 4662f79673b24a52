import type { SignedInContext } from '../../../core/context/context.ts';
import { annotationBytes } from '../../content/content.sql.ts';
import { listAnnotationClasses } from '../../projects/annotations/list-annotation-classes.ts';
import type { OpenVersion } from '../../versions/open-version.ts';
import { ClassList } from './class-list.ts';
import type { ExportSource } from './export-source.ts';
import { pointsOfClasses } from './exports.sql.ts';
import { frozenSource } from './frozen-source.ts';
import { loadExportedImages, selectImages } from './select-images.ts';

/** The source of an export of a project. */
export function sourceOf(
  ctx: SignedInContext,
  projectId: string,
  version: OpenVersion | undefined,
): ExportSource {
  return version ? frozenSource(ctx, projectId, version) : liveSource(ctx, projectId);
}

function liveSource(ctx: SignedInContext, projectId: string): ExportSource {
  const classes = new ClassList();
  return {
    async classes() {
      classes.add(await listAnnotationClasses(ctx, projectId));
      return classes.classes;
    },
    async points() {
      const rows = await pointsOfClasses.rows(ctx.db, { projectId });
      return new Map(rows.map(({ id, points }) => [id, points]));
    },
    async bytesOf(imageIds) {
      const rows = await annotationBytes.rows(ctx.db, { projectId, imageIds });
      return new Map(rows.map(({ imageId, bytes }) => [imageId, bytes]));
    },
    select: (which) => selectImages(ctx, { projectId, ...which }),
    load: (ids) => loadExportedImages(ctx, { projectId, classes }, ids),
  };
}
