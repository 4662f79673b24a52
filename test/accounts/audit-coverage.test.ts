import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredInputField,
  type GraphQLInputType,
} from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { routes } from '../../src/server/routes/routes.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';
import { directoryOf, type Directory } from '../support/scim.ts';

// The calls are made from the schema and the route table: a new mutation or writing route is tested without a word here.

const UPLOAD = 'the file';
/** Typed into every text, and nowhere in the log. */
const SECRET = 'correct horse battery staple';
const MISSING = '00000000-0000-7000-8000-000000000000';
let app: DatasetApp;
let token: string;
let directory: Directory;
let last = 0;

beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  token = await app.signedIn('owner');
  directory = await directoryOf(app, (await app.services.db.prisma.domain.findFirstOrThrow()).name);
});
afterAll(() => app.close());
beforeEach(async () => {
  const { _max } = await app.services.db.prisma.auditLog.aggregate({ _max: { id: true } });
  last = Number(_max.id);
});

const entries = () =>
  app.services.db.prisma.auditLog.findMany({ where: { id: { gt: last } }, orderBy: { id: 'asc' } });

/** Any value of a type: only what has to be there. */
function anyValue(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [anyValue(nullable.ofType)];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isInputObjectType(nullable))
    return Object.fromEntries(
      Object.values(nullable.getFields())
        .filter(isRequiredInputField)
        .map((field) => [field.name, anyValue(field.type)]),
    );
  const values: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Boolean: false,
    ID: Buffer.from(`Workspace:${MISSING}`).toString('base64'),
    UUID: MISSING,
    LocalDate: '2026-11-20',
    DateTime: '2026-11-20T12:00:00Z',
    LocalDateTime: '2026-11-20T12:00:00',
    Upload: UPLOAD,
    EncryptionChecksum: `${'A'.repeat(43)}=`,
  };
  return isLeafType(nullable) ? (values[nullable.name] ?? SECRET) : undefined;
}

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

describe('each mutation leaves exactly one entry', () => {
  it.each(mutations.filter(({ name }) => name !== 'signOut').map(({ name }) => name))(
    '%s',
    async (name) => {
      const field = mutations.find((one) => one.name === name)!;
      const input = field.args.find((argument) => argument.name === 'input');
      const query = `mutation ($input: ${String(input?.type)}) { ${name}(input: $input) { __typename } }`;
      const value = anyValue(input!.type);
      const isUpload =
        isInputObjectType(getNamedType(input!.type)) && JSON.stringify(value).includes(UPLOAD);
      const operations = JSON.stringify({ query, variables: { input: value } }).replace(
        `"${UPLOAD}"`,
        'null',
      );
      const form = new FormData();
      form.set('operations', operations);
      form.set('map', '{"0":["variables.input.image"]}');
      form.set('0', new Blob([SECRET]), SECRET);
      const { text, headers } = await app.rest('/graphql', token, {
        method: 'POST',
        body: isUpload ? form : operations,
        headers: {
          'x-request-id': `test-${name}`,
          ...(isUpload ? { 'x-requested-with': 'test' } : { 'content-type': 'application/json' }),
        },
      });
      const found = await entries();
      expect([text, found]).toEqual([text, [expect.objectContaining({ action: name })]]);
      expect(found[0]).toMatchObject({
        surface: 'GRAPHQL',
        requestId: headers.get('x-request-id'),
        address: expect.stringContaining('127.0.0.1'),
        actor: name.startsWith('signIn') ? 'unknown' : expect.stringMatching(/^user:\d+$/),
      });
      if (!text.includes('Error') && !text.includes('"errors"'))
        expect(found[0]).toMatchObject({ outcome: 'DONE', code: null });
      else expect(found[0]).toMatchObject({ outcome: 'REFUSED', code: expect.any(String) });
      expect(JSON.stringify(found, (_, one) => (typeof one === 'bigint' ? '' : one))).not.toContain(
        SECRET,
      );
    },
  );

  it('signOut', async () => {
    const own = await app.signedIn('owner');
    const before = (await entries()).length;
    await app.gql('mutation { signOut { signedOut } }', {}, own);
    expect((await entries()).slice(before)).toMatchObject([
      { action: 'signOut', outcome: 'DONE', surface: 'GRAPHQL' },
    ]);
  });
});

const pathOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '77');
const writing = routes.filter(({ method, onlyReads }) => method !== 'GET' && !onlyReads);

describe('each route that writes leaves exactly one entry', () => {
  it.each(writing.map(({ method, path }) => `${method} ${path}`))('%s', async (name) => {
    const route = writing.find(({ method, path }) => `${method} ${path}` === name)!;
    const own = await app.signedIn('owner');
    const before = (await entries()).length;
    const { status } = await app.rest(pathOf(route.path), own, {
      method: route.method,
      body: JSON.stringify({
        ...{ name: SECRET, login: SECRET, password: SECRET, id: MISSING },
        ...{ displayName: SECRET, Operations: [{ op: 'add', value: { externalId: SECRET } }] },
      }),
      headers: {
        'content-type': 'application/json',
        ...(route.auth === 'scim' && { authorization: `Bearer ${directory.token}` }),
      },
    });
    const found = (await entries()).slice(before);
    expect(found).toMatchObject([{ action: route.operation, surface: 'REST' }]);
    if (route.auth === 'scim') expect(found[0]?.actor).toMatch(/^scim:/);
    if (status >= 300) expect(found[0]?.outcome).toBe('REFUSED');
    expect(JSON.stringify(found, (_, one) => (typeof one === 'bigint' ? '' : one))).not.toContain(
      SECRET,
    );
  });
});

describe('what only reads leaves none', () => {
  it.each(
    routes
      .filter((route) => !writing.includes(route))
      .map(({ method, path }) => `${method} ${path}`),
  )('%s', async (name) => {
    const [method = '', path = ''] = name.split(' ');
    await app.rest(pathOf(path), token, {
      method,
      headers: path.startsWith('/scim/') ? { authorization: `Bearer ${directory.token}` } : {},
    });
    expect(await entries()).toEqual([]);
  });

  it('queries', async () => {
    await app.gql(
      '{ viewer { login feeds { totalCount } workspaces { nodes { id } } } }',
      {},
      token,
    );
    expect(await entries()).toEqual([]);
  });
});
