import type { TypedParams } from '../../core/sql/statement.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { creationOrder, type ListQuery } from '../../core/lists/read-list.ts';
import { memberWorkspacesSql, roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';

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
  /** Upright. */
  width: number;
  height: number;
  /** Null for ciphertext. */
  mimeType: string | null;
  annotationCount: number;
  /** As PostgreSQL prints it. */
  createdDate: string;
  bytes: StoredBytes;
  thumbnail: StoredBytes;
  /** Of the viewer in the workspace. */
  role: WorkspaceRole;
}

/** An image, for a member of its workspace. */
export class DatasetImage implements ImageRow {
  readonly id: string;
  readonly datasetId: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly mimeType: string | null;
  readonly annotationCount: number;
  readonly createdDate: string;
  readonly bytes: StoredBytes;
  readonly thumbnail: StoredBytes;
  readonly role: WorkspaceRole;

  constructor(row: ImageRow) {
    this.id = row.id;
    this.datasetId = row.datasetId;
    this.name = row.name;
    this.width = row.width;
    this.height = row.height;
    this.mimeType = row.mimeType;
    this.annotationCount = row.annotationCount;
    this.createdDate = row.createdDate;
    this.bytes = row.bytes;
    this.thumbnail = row.thumbnail;
    this.role = row.role;
  }

  get hasAnnotations(): boolean {
    return this.annotationCount > 0;
  }
}

/** The live images that the viewer sees, oldest first, narrowed by a condition over `i`. */
export function imageList(
  viewer: Viewer,
  condition: (params: TypedParams) => string,
): ListQuery<DatasetImage> {
  return {
    columns: `i.id, i.dataset_id, i.name, i.width, i.height, i.mime_type, i.annotation_count, i.created_date, m.role,
      b.storage_key, b.byte_size, b.sha256, t.storage_key, t.byte_size, t.sha256`,
    source: (params) =>
      `FROM ${memberWorkspacesSql(viewer, params)} JOIN dataset d ON d.workspace_id = w.id AND d.deleted_at IS NULL JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL
       JOIN blob b ON b.id = i.blob_id JOIN blob t ON t.id = i.thumb_blob_id WHERE ${condition(params)}`,
    order,
    read: (cells) => {
      const [id, datasetId, name, width, height, mimeType, annotationCount, createdDate, role] =
        cells;
      const bytes = ([storageKey, byteSize, sha256]: readonly (string | null)[]): StoredBytes => ({
        storageKey: storageKey ?? '',
        byteSize: Number(byteSize),
        sha256: sha256 ?? '',
      });
      return new DatasetImage({
        id: id ?? '',
        datasetId: datasetId ?? '',
        name: name ?? '',
        width: Number(width),
        height: Number(height),
        mimeType: mimeType ?? null,
        annotationCount: Number(annotationCount),
        createdDate: createdDate ?? '',
        bytes: bytes(cells.slice(9, 12)),
        thumbnail: bytes(cells.slice(12, 15)),
        role: roleOf(role),
      });
    },
    position: (image) => [image.createdDate, image.id],
  };
}

const order = creationOrder('i.created_date', 'i.id');

/** An instant as PostgreSQL prints it → RFC 3339. */
export function isoInstant(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;
}
