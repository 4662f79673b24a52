/** REST: view_type. MV my view, DV department view, SV store view. */
export type FeedView = 'MV' | 'DV' | 'SV';

/** The session user. Everything about identity comes from here, never from a request (F005). */
export interface Viewer {
  sessionId: string;
  userId: number;
  login: string;
  displayName: string;
  domainId: number;
  unitId: number | null;
  profileId: number | null;
  /** All departments of the user. */
  deptIds: number[];
  /** Those of them that are home departments: confidential work of these is visible (D-30). */
  homeDeptIds: number[];
  /** IANA zone. */
  timeZone: string;
  langCode: string;
  currentView: FeedView;
  permissions: ReadonlySet<string>;
  /** Changes whenever any configuration entry changes. */
  configVersion: number;
  /** How far the database's log had come after the session's last write, in bytes; noted only where a replica is read. */
  writtenLsn: number;
}
