import * as z from 'zod';
import type { FeedView } from '../../core/context/viewer.ts';
import type { ListQuery } from '../../core/lists/list.sql.ts';
import { users, type WhichUsers } from './users.sql.ts';

/** A user as an administrator of the domain sees them. */
export interface User {
  id: number;
  login: string;
  displayName: string;
  unit: string | null;
  profile: string | null;
  departments: { name: string; home: boolean }[];
  /** Given to the user, without those of the profile. */
  permissions: string[];
  /** Null: the unit's. */
  timeZone: string | null;
  langCode: string;
  defaultView: FeedView;
  disabledAt: Date | null;
  hasPassword: boolean;
  /** Until when the password that an administrator gave can be used. */
  oneTimeUntil: Date | null;
}

const departments = z.array(z.object({ name: z.string(), home: z.boolean() }));

/** Users of a domain, ordered by login. */
export function userList(which: WhichUsers): ListQuery<User> {
  return users.query(
    which,
    ({ timeZoneLong, defaultView, ...row }) => ({
      ...row,
      timeZone: timeZoneLong,
      defaultView: defaultView === 'DV' || defaultView === 'SV' ? defaultView : 'MV',
      departments: departments.parse(row.departments),
    }),
    ({ login }) => [login],
  );
}
