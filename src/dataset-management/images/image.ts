import type { Viewer } from '../../core/context/viewer.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { rowClass } from '../../core/lists/row-class.ts';
import { images, reviewedImages, type WhichImages } from '../content/lists.sql.ts';
import type { RowOf } from '../../core/sql/types.ts';
import { roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

/** Bytes in the storage. */
export interface StoredBytes {
  storageKey: string;
  byteSize: number;
  sha256: string;
}

interface ImageRow {
  id: string;
  datasetId: string;
  name: string;
  /** Where it was in the folder that was uploaded; null if it came alone. */
  path: string | null;
  /** Upright. */
  width: number;
  height: number;
  /** Null for ciphertext. */
  mimeType: string | null;
  /** Number of the workspace's key under which it is encrypted. */
  keyNumber: number;
  /** That a holder of that key put it here. */
  proof: string | null;
  annotationCount: number;
  /** As PostgreSQL prints it. */
  createdDate: string;
  bytes: StoredBytes;
  thumbnail: StoredBytes;
  /** Of the viewer in the workspace. */
  role: WorkspaceRole;
}

/** An image, for a member of its workspace. */
export class DatasetImage extends rowClass<ImageRow>() {
  get hasAnnotations(): boolean {
    return this.annotationCount > 0;
  }
}

const makeImage = (row: RowOf<typeof images.row>): DatasetImage =>
  new DatasetImage({
    ...row,
    bytes: { storageKey: row.storageKey, byteSize: row.byteSize, sha256: row.sha256 },
    thumbnail: { storageKey: row.thumbKey, byteSize: row.thumbSize, sha256: row.thumbHash },
    role: roleOf(row.role),
  });
const positionOf = (image: DatasetImage): string[] => [image.createdDate, image.id];

/** The live images that the viewer sees, oldest first. */
export function imageList(viewer: Viewer, which: WhichImages): ListQuery<DatasetImage> {
  return images.query({ viewer, which }, makeImage, positionOf);
}

/** Those of them on which somebody works or has worked in a project, oldest first. */
export function reviewedImageList(
  viewer: Viewer,
  which: Parameters<typeof reviewedImages.query>[0]['which'],
): ListQuery<DatasetImage> {
  return reviewedImages.query({ viewer, which }, makeImage, positionOf);
}

/** An instant as PostgreSQL prints it → RFC 3339. */
export function isoInstant(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;
}
