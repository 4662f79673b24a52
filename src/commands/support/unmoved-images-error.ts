import type { KeyMove } from '../../sdk/e2ee.ts';

/** Most images that are listed. */
const SHOWN = 100;

/** Some images could not be moved to another key; the message lists `workspace: image name: reason`, one a line. */
export class UnmovedImagesError extends Error {
  override name = 'UnmovedImagesError';
  /** The first of them. */
  readonly problems: KeyMove['failed'];
  readonly total: number;

  constructor(workspaceId: string, moved: number, failed: KeyMove['failed']) {
    const problems = failed.slice(0, SHOWN);
    const lines = problems.map(
      ({ imageId, name, message }) => `${workspaceId}: ${imageId} ${name}: ${message}`,
    );
    if (failed.length > SHOWN) lines.push(`… and ${failed.length - SHOWN} more`);
    lines.push(
      `${workspaceId}: ${moved} images moved, ${failed.length} not; both keys are still valid`,
    );
    super(lines.join('\n'));
    this.problems = problems;
    this.total = failed.length;
  }
}
