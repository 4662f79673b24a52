import type { RowOf } from '../../../core/sql/types.ts';
import type { claimVersion } from './versions.sql.ts';

/** A version that this gateway freezes, until it is ready or `runner` is somebody else. */
export interface ClaimedVersion extends RowOf<typeof claimVersion.row> {
  runner: string;
}
