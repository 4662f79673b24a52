import { createSession } from '../../src/accounts/sessions/create-session.ts';
import type { Services } from '../../src/core/context/context.ts';
import { LEAD } from '../data/records.ts';
import { fetchJson } from '../http-load.ts';
import { table } from '../report.ts';
import { medianLatencies, ms, restGet } from './time-in-turn.ts';

const LIMIT = 20;
const columns = {
  profileId: 'profile_sort',
  endDateTime: 'end_sort',
  priority: 'priority_sort',
  startDateTime: 'start_sort',
  feedTitle: 'title_sort',
  feedTypeId: 'feed_type_sort',
} as const;
type Column = keyof typeof columns;
const mixed: [Column, 'A' | 'D'][][] = [
  [
    ['priority', 'A'],
    ['endDateTime', 'D'],
  ],
  [
    ['endDateTime', 'D'],
    ['priority', 'A'],
  ],
  [
    ['feedTypeId', 'A'],
    ['startDateTime', 'D'],
  ],
  [
    ['profileId', 'D'],
    ['feedTitle', 'A'],
  ],
  [
    ['startDateTime', 'A'],
    ['feedTitle', 'D'],
  ],
  [
    ['feedTitle', 'A'],
    ['endDateTime', 'A'],
  ],
  [
    ['priority', 'A'],
    ['profileId', 'D'],
    ['endDateTime', 'A'],
  ],
];

/**
 * Page 10,000 against page 1 in every documented sort, over the list of one department: a quarter of all feeds. The position comes from
 * SQL and is put into a cursor of the gateway's own making.
 */
export async function measureDepth(
  services: Services,
  port: number,
  seconds: number,
): Promise<{ table: string; figures: object[] }> {
  const { token } = await createSession(services, LEAD);
  const [subject] = await services.db.rows(
    `SELECT d.dept_id, count(*) FROM "user" u JOIN user_dept d ON d.user_id = u.id JOIN feed_listing l ON l.list = 40 AND l.subject_id = d.dept_id
    WHERE u.login = $1 GROUP BY 1`,
    [LEAD],
  );
  const page = Math.min(10_000, Math.floor(Number(subject?.[1] ?? 0) / LIMIT) - 1);
  const single = (Object.keys(columns) as Column[]).flatMap((column): [Column, 'A' | 'D'][][] => [
    [[column, 'A']],
    [[column, 'D']],
  ]);
  const figures: { sort: string; first: number; deep: number; ratio: number }[] = [];
  for (const sort of [...single, ...mixed]) {
    const query = {
      view_type: 'DV',
      limit: String(LIMIT),
      sort_by: sort.map(([column]) => column).join(),
      sort_order: sort.map(([, direction]) => direction).join(),
    };
    const first = restGet(token, '/task/v1/feeds/list', query);
    const { next_cursor } = (await fetchJson(port, first)) as { next_cursor: string };
    const order = sort.map(
      ([column, direction]) =>
        [`l.${columns[column]}`, direction === 'D' ? 'DESC' : 'ASC'] as const,
    );
    const all = [...order, ['l.feed_key', order.at(-1)?.[1] ?? 'ASC'] as const];
    const [position] = await services.db.rows(
      `SELECT ${all.map(([column]) => column).join()} FROM feed_listing l WHERE l.list = 40 AND l.subject_id = $1
         AND (l.confidential_dept IS NULL OR l.confidential_dept = $1) ORDER BY ${all.map((item) => item.join(' ')).join()} OFFSET $2 LIMIT 1`,
      [subject?.[0] ?? null, (page - 1) * LIMIT - 1],
    );
    if (!position) throw new Error('the list is too short');
    const [version, digest] = JSON.parse(
      Buffer.from(next_cursor, 'base64url').toString(),
    ) as unknown[];
    const cursor = Buffer.from(JSON.stringify([version, digest, position])).toString('base64url');
    const deep = restGet(token, '/task/v1/feeds/list', { ...query, starting_after: cursor });
    const [a = NaN, b = NaN] = await medianLatencies(
      [
        { port, request: first },
        { port, request: deep },
      ],
      seconds,
    );
    figures.push({
      sort: sort.map((item) => item.join(' ')).join(', '),
      first: a,
      deep: b,
      ratio: b / a,
    });
  }
  const rows = figures.map(({ sort, first, deep, ratio }) => [
    sort,
    ms(first),
    ms(deep),
    ratio.toFixed(2),
  ]);
  return {
    table: table(['sort', 'page 1', `page ${page.toLocaleString('en')}`, 'ratio'], rows),
    figures,
  };
}
