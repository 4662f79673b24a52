import { colleagues, mainUsers, type Person } from './people.ts';

/** Stores of the demo, in four time zones. */
export const units = [
  { name: 'Berlin Mitte', time_zone: 'Europe/Berlin' },
  { name: 'Brooklyn Heights', time_zone: 'America/New_York' },
  { name: 'Mumbai Bandra', time_zone: 'Asia/Kolkata' },
  { name: 'Auckland Central', time_zone: 'Pacific/Auckland' },
] as const;

export const depts = [
  'Fresh',
  'Grocery',
  'Apparel',
  'Electronics',
  'Checkout',
  'Store Leadership',
] as const;

/** Password of the logins that can sign in. */
const DEMO_PASSWORD = 'demo';

/** Domains, stores, departments, profiles and people. */
export function* organisationRecords(): Generator<object> {
  yield { record: 'domain', name: 'demo' };
  yield { record: 'domain', name: 'other' };
  for (const unit of units) yield { record: 'unit', domain: 'demo', ...unit };
  for (const name of depts) yield { record: 'dept', domain: 'demo', name };
  for (const name of ['Associate', 'Supervisor', 'Leader'])
    yield { record: 'profile', domain: 'demo', name };
  for (const user of mainUsers) yield { ...userRecord(user), password: DEMO_PASSWORD };
  for (const user of colleagues) yield userRecord(user);
  yield { record: 'unit', domain: 'other', name: 'Lisboa Baixa', time_zone: 'Europe/Lisbon' };
  yield { record: 'dept', domain: 'other', name: 'Shop floor' };
  yield { record: 'profile', domain: 'other', name: 'Associate' };
  yield {
    record: 'user',
    domain: 'other',
    login: 'outsider',
    display_name: 'Inês Duarte',
    unit: 'Lisboa Baixa',
    profile: 'Associate',
    depts: [{ name: 'Shop floor', home: true }],
    password: DEMO_PASSWORD,
  };
}

function userRecord({ depts: names, ...person }: Person): object {
  return {
    record: 'user',
    domain: 'demo',
    ...person,
    depts: names.map((name, index) => ({ name, home: index === 0 })),
  };
}
