import { system } from './system-configuration.ts';

/** Configuration at four scopes; the most specific one replaces the whole value. */
export function* configurationRecords(): Generator<object> {
  for (const [key, value] of Object.entries(system))
    yield { record: 'config', scope: 'SYSTEM', key, value };
  const demo = { record: 'config', domain: 'demo' };
  yield { ...demo, scope: 'DOMAIN', key: 'feed_date_span', value: '30' };
  yield { ...demo, scope: 'DOMAIN', key: 'max_upload_size', value: 26_214_400 };
  yield { ...demo, scope: 'PROFILE', profile: 'Leader', key: 'gantt_date_span', value: '90' };
  yield {
    ...demo,
    scope: 'UNIT',
    unit: 'Brooklyn Heights',
    key: 'default_calendar_view',
    value: 'W',
  };
  yield { ...demo, scope: 'UNIT', unit: 'Auckland Central', key: 'overdue_date_span', value: 2 };
  yield { ...demo, scope: 'DEPT', dept: 'Checkout', key: 'allow_bulk_action', value: 'N' };
  yield { ...demo, scope: 'USER', user: 'supervisor', key: 'no_records', value: '50' };
}
