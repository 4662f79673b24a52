/** REST: view_type. MV my view, DV department view, SV store view. */
export type FeedView = 'MV' | 'DV' | 'SV';

/** The session user. Identity comes only from here, never from a request (F005). */
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
  /** The home departments among them: their confidential work is visible (D-30). */
  homeDeptIds: number[];
  /** Whether the domain takes writes. */
  isOpen: boolean;
  /** IANA zone. */
  timeZone: string;
  langCode: string;
  currentView: FeedView;
  permissions: ReadonlySet<string>;
  /** Changes whenever any configuration entry changes. */
  configVersion: string;
  /**
   * Position of the database's write-ahead log after the session's last write, in bytes; only recorded when a replica
   * is used.
   */
  writtenLsn: number;
}
