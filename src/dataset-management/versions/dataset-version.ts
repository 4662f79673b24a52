import type { Viewer } from '../../core/context/viewer.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { rowClass } from '../../core/lists/row-class.ts';
import { roleOf, type WorkspaceRole } from '../workspaces/workspace.ts';
import { datasetVersions, type WhichVersions } from './freeze/versions.sql.ts';

export type VersionState = 'FREEZING' | 'READY' | 'FAILED';

interface VersionRow {
  id: string;
  datasetId: string;
  number: number;
  name: string;
  notes: string;
  state: VersionState;
  /** Lower-case hexadecimal; null until it is ready. */
  digest: string | null;
  images: number;
  annotations: number;
  creatorId: number | null;
  /** As PostgreSQL prints them. */
  createdAt: string;
  frozenAt: string | null;
  /** Of the viewer in the workspace. */
  role: WorkspaceRole;
}

/** The images of a dataset, and annotations, as they were, for a member of the workspace. */
export class DatasetVersion extends rowClass<VersionRow>() {}

/** The versions that the viewer sees, newest first. */
export function versionList(viewer: Viewer, which: WhichVersions): ListQuery<DatasetVersion> {
  return datasetVersions.query(
    { viewer, which },
    (row) => new DatasetVersion({ ...row, role: roleOf(row.role) }),
    (version) => [String(version.number)],
  );
}
