import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { startFuzzWorld, type FuzzWorld } from '../support/fuzz-world.ts';
import { oddBodies, oddTexts } from '../support/odd-values.ts';

let world: FuzzWorld;
beforeAll(async () => void (world = await startFuzzWorld()));
afterAll(() => world.close());

/** The id of the world's object whose type ends so, if there is one: of `image`, that of the DatasetImage. */
function idOf(type: string): string | undefined {
  return world.globalIds.find((id) =>
    Buffer.from(id, 'base64').toString().split(':')[0]?.toLowerCase().endsWith(type.toLowerCase()),
  );
}

/** Values that pass for a type: only the one that is odd shall be at fault. */
function fitting(type: GraphQLInputType, name = ''): unknown {
  const known = getNullableType(type);
  if (isListType(known)) return [fitting(known.ofType, name)];
  if (isEnumType(known)) return known.getValues()[0]?.name;
  if (isInputObjectType(known))
    return Object.fromEntries(
      Object.values(known.getFields())
        .filter((field) => String(field.type).endsWith('!'))
        .map((field) => [field.name, fitting(field.type, field.name)]),
    );
  switch (String(known)) {
    case 'Int':
    case 'SafeInt':
    case 'Timestamp':
      return 1;
    case 'Float':
      return 0.5;
    case 'Boolean':
      return true;
    case 'LocalDate':
      return '2027-01-10';
    case 'LocalDateTime':
      return '2027-01-10T10:00:00';
    case 'DateTime':
      return '2027-01-10T10:00:00Z';
    case 'UUID':
      return world.uuids[0];
    case 'ID':
      return idOf(name.replace(/Ids?$/, '')) ?? world.globalIds[0];
    default:
      return 'One';
  }
}

type Slot = (text: string) => unknown;

/** Every place of an argument that holds a text or what is written as one. */
function slots(type: GraphQLInputType): Slot[] {
  const known = getNullableType(type);
  if (isListType(known)) return slots(known.ofType).map((slot) => (text) => [slot(text)]);
  if (isInputObjectType(known))
    return Object.values(known.getFields()).flatMap((field) =>
      slots(field.type).map((slot): Slot => (text) => ({
        ...(fitting(known) as object),
        [field.name]: slot(text),
      })),
    );
  return isLeafType(known) && !/^(Int|Float|Boolean|SafeInt|Timestamp|Upload)$/.test(known.name)
    ? [(text) => text]
    : [];
}

/** What is selected of an operation: enough to run it. */
function selection(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  if (!isUnionType(type) && !isObjectType(type)) return '{ __typename }';
  const members = isUnionType(type) ? type.getTypes() : [type];
  const page = members.find((member) => member.getFields()['nodes']);
  return page ? '{ nodes { __typename } totalCount }' : '{ __typename }';
}

/** What a request selects to call a field of each type. */
const doors: Record<string, (call: string) => string> = {
  Query: (call) => `{ ${call} }`,
  Viewer: (call) => `{ viewer { ${call} } }`,
  Mutation: (call) => `{ ${call} }`,
  ...Object.fromEntries(
    ['Feed', 'Workspace', 'Dataset', 'DatasetImage', 'Project'].map((type) => [
      type,
      (call: string) =>
        `{ node(id: ${JSON.stringify(idOf(type))}) { ... on ${type} { ${call} } } }`,
    ]),
  ),
};

const calls = Object.keys(doors).flatMap((kind) => {
  const type = schema.getType(kind);
  return isObjectType(type)
    ? Object.values(type.getFields()).flatMap((field) =>
        field.args
          .filter((arg) => slots(arg.type).length > 0 && !/^(signOut|addImage)$/.test(field.name))
          .map((arg) => ({ kind, field, arg })),
      )
    : [];
});

/** A share of the texts for each place, so that all of them come everywhere on the whole and it takes seconds. */
function shareOf(index: number, every: number): string[] {
  return oddTexts.filter((_, at) => (at + index) % every === 0);
}

const always = ['\0', '\ud800', 'a\0b', '', 'x'.repeat(5_000)];

it(
  'any text in any argument is answered with data or a code, and never fails',
  { timeout: 120_000 },
  async () => {
    let index = 0;
    for (const { kind, field, arg } of calls) {
      const others = field.args.filter(
        (other) =>
          other !== arg && String(other.type).endsWith('!') && other.defaultValue === undefined,
      );
      const declared = [arg, ...others].map(({ name, type }) => `$${name}: ${String(type)}`);
      const given = [arg, ...others].map(({ name }) => `${name}: $${name}`);
      const call = `${field.name}(${given.join(' ')}) ${selection(field)}`;
      const query = `${kind === 'Mutation' ? 'mutation' : 'query'} (${declared.join(' ')}) ${doors[kind]?.(call)}`;
      const rest = Object.fromEntries(others.map(({ name, type }) => [name, fitting(type, name)]));
      const texts = slots(arg.type).flatMap((slot) =>
        [
          ...(field.name === 'signIn' ? ['\0'] : always),
          ...shareOf(index++, field.name === 'signIn' ? 200 : 40),
        ].map(slot),
      );
      const answers = await Promise.all(
        texts.map((value) => world.gql(query, { ...rest, [arg.name]: value }, world.ana)),
      );
      answers.forEach((answer, at) => {
        const about = `${field.name}.${arg.name} ${JSON.stringify(texts[at]).slice(0, 200)} ${JSON.stringify(answer).slice(0, 300)}`;
        expect(answer.status, about).toBeLessThan(500);
        for (const { extensions } of answer.errors ?? []) {
          expect(extensions['code'], about).toMatch(/^[A-Z_]+$/);
          expect(extensions['code'], about).not.toMatch(
            /^(INTERNAL_SERVER_ERROR|SERVICE_UNAVAILABLE|TIMEOUT)$/,
          );
        }
      });
    }
  },
);

const callerOf = ({ auth }: { auth?: string | undefined }): 'customer' | 'directory' | 'user' =>
  auth === 'customer' ? 'customer' : auth === 'scim' ? 'directory' : 'user';

const wellFormed = (text: string): string => encodeURIComponent(text.toWellFormed());

it(
  'any text in any parameter or field of a body is answered in JSON, and never fails',
  { timeout: 120_000 },
  async () => {
    let index = 0;
    for (const route of routes.filter(({ operation }) => !/^(signOut|signIn)$/.test(operation))) {
      const send = async (
        parameter: (typeof route.parameters)[number],
        text: string,
      ): Promise<void> => {
        const path = route.path.replace(/\{(.*?)\}/g, (_, name: string) =>
          name === parameter.name && parameter.in === 'path' ? wellFormed(text) || 'x' : 'x',
        );
        const search = parameter.in === 'query' ? `?${parameter.name}=${wellFormed(text)}` : '';
        const isJson = parameter.in === 'body';
        const answer = await world.rest(path + search, undefined, {
          method: route.method,
          headers: {
            ...world.callers[callerOf(route)],
            ...(isJson && { 'content-type': 'application/json' }),
          },
          ...(isJson && { body: JSON.stringify({ [parameter.name]: text }) }),
        });
        expect(
          answer.status,
          `${route.path} ${parameter.name} ${JSON.stringify(text).slice(0, 200)} ${answer.text.slice(0, 300)}`,
        ).toBeLessThan(500);
      };
      for (const parameter of route.parameters)
        await Promise.all(
          [...always, ...shareOf(index++, 40)].map((text) => send(parameter, text)),
        );
    }
  },
);

it(
  'any JSON at any door that takes it is refused or answered, in JSON',
  { timeout: 120_000 },
  async () => {
    const doors = [
      ...routes
        .filter(
          ({ method, operation }) =>
            method !== 'GET' && !/^(signOut|signIn|addImage|importAnnotations)$/.test(operation),
        )
        .map(({ method, path, auth }) => ({ method, path: path.replace(/\{.*?\}/g, 'x'), auth })),
      { method: 'POST', path: '/graphql', auth: 'session' as const },
      { method: 'POST', path: '/session', auth: 'session' as const },
    ];
    for (const [at, door] of doors.entries()) {
      const share =
        door.path === '/graphql' ? oddBodies : oddBodies.filter((_, i) => (i + at) % 6 === 0);
      await Promise.all(
        share.map(async (body) => {
          for (const accept of door.path === '/graphql'
            ? ['application/json', 'text/event-stream']
            : ['*/*']) {
            const answer = await world.rest(door.path, undefined, {
              method: door.method,
              headers: {
                ...world.callers[callerOf(door)],
                'content-type': 'application/json',
                accept,
              },
              body,
            });
            const about = `${door.path} ${accept} ${body.slice(0, 100)} ${answer.text.slice(0, 300)}`;
            expect(answer.status, about).toBeLessThan(500);
            if (answer.status >= 400)
              expect(answer.headers.get('content-type'), about).toMatch(/json|event-stream/);
          }
        }),
      );
    }
  },
);
