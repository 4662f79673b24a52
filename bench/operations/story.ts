import { content } from './content.ts';
import {
  globalId,
  gql,
  mutate,
  quietly,
  rest,
  type Answer,
  type Caller,
  type Step,
  type Story,
} from './steps.ts';

/** Not counted: nearly all of it is the hash of the password. */
export function signIn(login: string): Step {
  return quietly(rest('', {}, 'POST /session', { login, password: 'demo' }));
}

export function signedIn(answer: Answer): Caller {
  return { 'x-service-csrf-token-x': answer.token };
}

export interface People {
  associate: Caller;
  supervisor: Caller;
  admin: Caller;
}

/** Every everyday operation but the sign-in, in an order that leaves little behind. */
export function* everyday(people: People, round: number, image: Buffer): Story {
  const { associate, supervisor, admin } = people;
  const another = signedIn(yield signIn('associate'));
  yield rest('sign-out', another, 'DELETE /session');
  const issued = yield mutate(
    'API key: issue',
    admin,
    'issueApiKey -> IssueApiKeyPayload { key apiKey { id } }',
    { customerId: 'bench' },
  );
  const { key, apiKey } = issued.data.issueApiKey;
  yield gql('API key: list', admin, '{ viewer { apiKeys { id prefix revokedAt } } }');
  yield* tasks(supervisor, { 'API-Key': key, customerId: 'bench' }, round);
  yield mutate('API key: revoke', admin, 'revokeApiKey -> RevokeApiKeyPayload { apiKey { id } }', {
    keyId: apiKey.id,
  });
  yield* settings(admin, round);
  yield* dates(supervisor, round);
  yield* content(associate, round, image);
  yield gql(
    'legacy usage: list',
    admin,
    '{ legacyUsage { nodes { path method client hits lastSeen } } }',
  );
  const made = yield mutate(
    'calendar subscription: create',
    associate,
    'createCalendarSubscription -> CreateCalendarSubscriptionPayload { subscriptionId icsUrl }',
    { timeZone: 'Europe/Berlin' },
  );
  const { subscriptionId, icsUrl } = made.data.createCalendarSubscription;
  yield gql(
    'calendar subscription: list',
    associate,
    '{ viewer { calendarSubscriptions { subscriptionId createdAt } } }',
  );
  yield rest('calendar subscription: read', {}, `GET ${new URL(icsUrl).pathname}`);
  yield mutate(
    'calendar subscription: revoke',
    associate,
    'revokeCalendarSubscription -> RevokeCalendarSubscriptionPayload { clientMutationId }',
    { subscriptionId },
  );
}

function* tasks(supervisor: Caller, customer: Caller, round: number): Story {
  const tracker = '/api/task-tracker-external/tasks';
  yield rest('task template: create', customer, `POST ${tracker}/title/templates`, [`T${round}`]);
  yield gql('task template: list', customer, '{ taskTemplates(first: 20) { nodes { id title } } }');
  const task = yield rest('task: create', customer, `POST ${tracker}`, { name: `Task ${round}` });
  yield rest('task: read', customer, `GET ${tracker}/${task.id}`);
  yield gql(
    'task: list unassigned',
    supervisor,
    '{ viewer { unassignedExternalTasks(first: 20) { nodes { id name priority } } } }',
  );
  yield mutate(
    'task: assign',
    supervisor,
    'assignExternalTask -> AssignExternalTaskPayload { task { id assignedTo } }',
    { taskId: globalId('ExternalTask', task.id), login: 'associate' },
  );
}

function* settings(admin: Caller, round: number): Story {
  yield mutate(
    'configuration: write',
    admin,
    'setConfiguration -> SetConfigurationPayload { clientMutationId }',
    { key: 'no_records', scope: 'DOMAIN', value: String(20 + (round % 10)) },
  );
  yield rest('configuration: read', admin, 'GET /task/v1/config/list');
}

function* dates(supervisor: Caller, round: number): Story {
  yield rest(
    'leadership calendar: read',
    supervisor,
    'GET /task/v1/calendar/leadership?cal_type=M&month_no=11&year=2026',
  );
  yield mutate(
    'leadership calendar: note',
    supervisor,
    'setMonthlyNote -> SetMonthlyNotePayload { note { note } }',
    { year: 2030 + (round % 50), month: 1, note: `Note ${round}` },
  );
  const page = yield quietly(rest('', supervisor, 'GET /task/v1/feeds/list?limit=1'));
  const feedKey: number = page.feed_details[0].feed_key;
  const suggestion = `POST /task/v1/actions/${feedKey}/suggested-date`;
  yield rest('suggested date: propose', supervisor, suggestion, {
    sugg_start_date_val: '20261201',
    sugg_end_date_val: '20261205',
  });
  yield gql(
    'suggested date: read',
    supervisor,
    'query ($id: ID!) { node(id: $id) { ... on Feed { suggestedStartDate suggestedEndDate } } }',
    { id: globalId('Feed', feedKey) },
  );
  yield rest('suggested date: clear', supervisor, suggestion, {
    sugg_start_date_val: '',
    sugg_end_date_val: '',
  });
}
