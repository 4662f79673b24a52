import { readAnnotationsOf, type FrozenContents } from './load-contents.ts';
import type { FrozenAnnotation } from '../freeze/frozen-content.ts';

export type ChangeKind = 'ADDED' | 'REMOVED' | 'CHANGED';

/** An image that differs between two versions of a dataset, or whose annotations do. */
export interface VersionChange {
  datasetId: string;
  imageId: string;
  /** Of the image, as PostgreSQL prints it. */
  createdDate: string;
  /** CHANGED where both versions have the image. */
  kind: ChangeKind;
  /** What differs, in the older and in the newer version: ids of items. */
  before: number[];
  after: number[];
  /** The two versions; null where there is no older one. */
  versions: { before: string | null; after: string };
}

/** An annotation that differs. */
export interface AnnotationChange {
  kind: ChangeKind;
  id: string;
  projectId: string;
  before: FrozenAnnotation | null;
  after: FrozenAnnotation | null;
  versions: VersionChange['versions'];
}

/** The annotations that differ, by project, removed ones first. */
export function compareAnnotations(
  { versions }: VersionChange,
  contents: { before: FrozenContents; after: FrozenContents },
): AnnotationChange[] {
  const before = readAnnotationsOf(contents.before);
  const after = readAnnotationsOf(contents.after);
  const changes: AnnotationChange[] = [];
  const note = (projectId: string, old?: FrozenAnnotation, now?: FrozenAnnotation): void => {
    const kind = !old ? 'ADDED' : now ? 'CHANGED' : 'REMOVED';
    const { id = '' } = old ?? now ?? {};
    changes.push({ kind, id, projectId, before: old ?? null, after: now ?? null, versions });
  };
  for (const [key, { projectId, annotation }] of before) {
    const now = after.get(key)?.annotation;
    if (JSON.stringify(now) !== JSON.stringify(annotation)) note(projectId, annotation, now);
  }
  for (const [key, { projectId, annotation }] of after)
    if (!before.has(key)) note(projectId, undefined, annotation);
  return changes;
}
