import { createApiKey } from '../../src/accounts/api-keys/create-api-key.ts';
import { startApp, type RestAnswer, type TestApp, type TestAppOptions } from './app.ts';
import { organisation } from './records.ts';

export const TASKS = '/api/task-tracker-external/tasks';
export const TEMPLATES = '/api/task-tracker-external/tasks/title/templates';

/** A gateway with the customers `shop` of acme and `foe` of rival; acme has supervisors in Berlin (sue) and Boston (bo), and an administrator (ada). */
export interface Tracker extends TestApp {
  /** Of `shop`. */
  key: string;
  /** Of `foe`. */
  foeKey: string;
  /** Posts JSON as `shop`, unless the headers say otherwise; a header of undefined is left out. */
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<RestAnswer>;
}

export async function startTracker(options: TestAppOptions = {}): Promise<Tracker> {
  const app = await startApp(options);
  const person = { record: 'user', domain: 'acme' };
  await app.load([
    ...organisation,
    {
      ...person,
      login: 'sue',
      unit: 'Berlin',
      depts: [{ name: 'Office', home: true }],
      permissions: ['SUPERVISOR'],
    },
    { ...person, login: 'bo', unit: 'Boston', permissions: ['SUPERVISOR'] },
    { ...person, login: 'ada', unit: 'Berlin', permissions: ['DOMAIN_ADMIN'] },
    { ...person, login: 'gone', unit: 'Berlin', disabled: true },
    {
      record: 'user',
      domain: 'rival',
      login: 'boss',
      unit: 'Berlin',
      permissions: ['SUPERVISOR', 'DOMAIN_ADMIN'],
    },
  ]);
  const issue = async (customerId: string, domain: string): Promise<string> => {
    const { id } = await app.services.db.prisma.domain.findUniqueOrThrow({
      where: { name: domain },
    });
    return (await createApiKey(app.services, { customerId, domainId: id })).key;
  };
  const key = await issue('shop', 'acme');
  const foeKey = await issue('foe', 'rival');
  const post: Tracker['post'] = (path, body, headers = {}) => {
    const all = {
      accept: 'application/json',
      'content-type': 'application/json',
      'API-Key': key,
      customerId: 'shop',
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    );
    return app.rest(path, undefined, {
      method: 'POST',
      headers: sent,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  };
  return { ...app, key, foeKey, post };
}
