/** Import records that tests build on: the domain `acme` with ana (Berlin, bakery at home, logistics), bob (same store, office), and `rival` with eve. */
export const organisation: readonly object[] = [
  { record: 'domain', name: 'acme' },
  { record: 'unit', domain: 'acme', name: 'Berlin', time_zone: 'Europe/Berlin' },
  { record: 'unit', domain: 'acme', name: 'Boston', time_zone: 'America/New_York' },
  ...['Bakery', 'Logistics', 'Office'].map((name) => ({ record: 'dept', domain: 'acme', name })),
  { record: 'profile', domain: 'acme', name: 'Clerk' },
  { record: 'profile', domain: 'acme', name: 'Chief' },
  {
    record: 'user',
    domain: 'acme',
    login: 'ana',
    display_name: 'Ana',
    unit: 'Berlin',
    profile: 'Clerk',
    password: 'secret of ana',
    depts: [{ name: 'Bakery', home: true }, { name: 'Logistics' }],
  },
  {
    record: 'user',
    domain: 'acme',
    login: 'bob',
    display_name: 'Bob',
    unit: 'Berlin',
    depts: [{ name: 'Office', home: true }],
  },
  {
    record: 'user',
    domain: 'acme',
    login: 'tess',
    display_name: 'Tess',
    unit: 'Boston',
    default_view: 'SV',
  },
  { record: 'domain', name: 'rival' },
  { record: 'unit', domain: 'rival', name: 'Berlin' },
  { record: 'dept', domain: 'rival', name: 'Bakery' },
  {
    record: 'user',
    domain: 'rival',
    login: 'eve',
    display_name: 'Eve',
    unit: 'Berlin',
    depts: [{ name: 'Bakery', home: true }],
  },
];

/** A message of acme that ana owns; `more` adds to it or changes it. */
export function feed(feedKey: number, more: object = {}): object {
  return {
    feed_key: feedKey,
    domain: 'acme',
    kind: 'MESSAGE',
    feed_title: `Feed ${feedKey}`,
    owner: 'ana',
    ...more,
  };
}
