import type { OpenVersion } from '../../versions/open-version.ts';
import type { Project } from '../../projects/project.ts';
import type { ExportOptions } from '../selection/check-export.ts';

/** What an archive is written from. */
export interface ArchivePlan extends Omit<ExportOptions, 'version'> {
  /** What is exported instead of the present content of the project. */
  version: OpenVersion | undefined;
  project: Project;
  exportedAt: Date;
  /** Only what is assigned to this user; undefined for all. */
  assignee: number | undefined;
  /** Called with the share of images that are written, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Called with the number of images whose files are lost, once it is known. */
  onMissing?: (count: number) => void;
}
