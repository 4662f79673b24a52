import { createSession } from '../src/accounts/sessions/create-session.ts';
import type { Services } from '../src/core/context/context.ts';
import { UNITS, viewerOf, zoneOf } from './data/records.ts';

/** Who reads the pages of a unit. */
export interface UnitViewer {
  userId: number;
  unitId: number;
  homeDepts: number[];
  zone: string;
  token: string;
}

export type Sort = 'endDateTime' | 'priority' | 'startDateTime';
export const directions = {
  endDateTime: 'ASC',
  priority: 'ASC',
  startDateTime: 'DESC',
} as const satisfies Record<Sort, 'ASC' | 'DESC'>;

/** One page of the workload, before a contender puts it into its own words. */
export interface PageOfUnit {
  viewer: UnitViewer;
  sort: Sort;
  /** Effective statuses; null for all. */
  statuses: string[] | null;
  /** How many pages lie before it: 0 asks without a cursor. */
  pagesBefore: number;
  limit: number;
}

const SORTS: readonly Sort[] = ['endDateTime', 'priority', 'startDateTime'];
const PAGES = 120;

/** Signs in one user of every unit. */
export async function makeViewers(services: Services): Promise<UnitViewer[]> {
  const { rows } = await services.db.pool.query<{
    login: string;
    id: number;
    unit_id: number;
    depts: number[];
  }>(
    `SELECT u.login, u.id, u.unit_id, ARRAY(SELECT dept_id FROM user_dept WHERE user_id = u.id AND is_home ORDER BY dept_id) AS depts FROM "user" u WHERE u.unit_id IS NOT NULL`,
  );
  const users = new Map(rows.map((row) => [row.login, row]));
  const viewers: UnitViewer[] = [];
  for (let unit = 0; unit < UNITS; unit++) {
    const user = users.get(viewerOf(unit));
    if (!user) throw new Error(`no user ${viewerOf(unit)}`);
    const { token } = await createSession(services, user.login);
    viewers.push({
      userId: user.id,
      unitId: user.unit_id,
      homeDepts: user.depts,
      zone: zoneOf(unit),
      token,
    });
  }
  return viewers;
}

/** The pages: three sorts, half with a status filter, half behind a cursor (pages 2 to 5), over all units. */
export function makePages(viewers: readonly UnitViewer[], limit: number): PageOfUnit[] {
  return Array.from({ length: PAGES }, (_, index) => {
    const viewer = viewers[(index * 7) % viewers.length];
    const sort = SORTS[index % 3];
    if (!viewer || !sort) throw new Error('no viewers');
    const filtered = Math.floor(index / 3) % 2 === 1;
    const behind = Math.floor(index / 6) % 2 === 1;
    return {
      viewer,
      sort,
      statuses: filtered ? ['N', 'C'] : null,
      pagesBefore: behind ? 1 + (Math.floor(index / 12) % 4) : 0,
      limit,
    };
  });
}
