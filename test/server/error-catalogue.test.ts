import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
let catalogue: { legacyCode: string; httpStatus: number; code: string; message: string }[];
beforeAll(async () => {
  app = await startApp();
  await app.load(organisation);
  ana = await app.signedIn('ana');
  const { data } = await app.gql('{ errorCatalogue { legacyCode httpStatus code message } }');
  catalogue = data.errorCatalogue;
});
afterAll(() => app.close());

/** The documented codes, with a request that is answered with them. E302 is answered to what nobody expects. */
const documented: [row: string, code: string, status: number, path?: string][] = [
  ['F181', 'E111', 400, 'feeds/none'],
  ['F182', 'E112', 400, 'feeds/list?starting_after=x&ending_before=x'],
  ['F183', 'E114', 400, 'feeds/count?end_date=20261130'],
  ['F184', 'E115', 400, 'feeds/count?start_date=20261101'],
  ['F185', 'E116', 400, 'feeds/list-latest?from_time=1'],
  ['F186', 'E140', 400, 'calendar?from_date=20261101&to_date=20261130'],
  ['F187', 'E142', 400, 'calendar?source_id=CALENDAR&to_date=20261130'],
  ['F188', 'E143', 400, 'calendar?source_id=CALENDAR&from_date=20261101'],
  ['F189', 'E144', 400, 'calendar/leadership?month_no=11&year=2026'],
  ['F190', 'E145', 400, 'calendar/leadership?cal_type=M&year=2026'],
  ['F191', 'E146', 400, 'calendar/leadership?cal_type=M&month_no=11'],
  ['F192', 'E147', 400, 'calendar?source_id=CALENDAR&from_date=20261130&to_date=20261101'],
  ['F193', 'E202', 401],
  ['F194', 'E203', 400, 'config/list?config_type=NONE'],
  ['F195', 'E302', 500],
  ['F196', 'E404', 200, 'feeds/list?feed_title=none'],
];

describe('errorCatalogue', () => {
  it.each(documented)(
    '%s has %s, with the status of the document',
    async (_, code, status, path) => {
      const [entry, another] = catalogue.filter(({ legacyCode }) => legacyCode === code);
      expect(another).toBeUndefined();
      expect(entry).toMatchObject({ legacyCode: code, httpStatus: status });
      expect(entry?.message).toMatch(/\w/);
      if (code === 'E302') return;
      const answer = path
        ? await app.rest(`/task/v1/${path}`, ana)
        : await app.rest('/task/v1/config/list');
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, code]);
    },
  );

  it.each([
    [
      'calendar?source_id=calendar&from_date=20261101&to_date=20261130',
      'CALENDAR STORE_PROJECTS STORE_SUGGESTED_DATE_PROJECTS STORE_WALK_CAL',
    ],
    [
      'config/list?config_type=FEEDS',
      'CALENDAR FEED ATTACHMENT SMART_SEARCH REFRESH FILTER FEED_COMPONENT ALL',
    ],
  ])('%s says which values there are', async (path, values) => {
    const { json } = await app.rest(`/task/v1/${path}`, ana);
    expect(json['response'].match(/\b[A-Z_]+\b/g)).toEqual(values.split(' '));
  });

  it('has both codes of what GraphQL answers', async () => {
    const { errors } = await app.gql('{ viewer { feeds { totalCount } } }');
    const { legacyCode, code } = errors?.[0]?.extensions ?? {};
    expect(catalogue).toContainEqual(expect.objectContaining({ legacyCode, code }));
  });
});
