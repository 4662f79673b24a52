import fc from 'fast-check';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isNestedDeeper } from '../../src/core/json-values.ts';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import {
  fuzzRuns,
  oddJson,
  oddText,
  startFuzzWorld,
  type FuzzWorld,
} from '../support/fuzz-world.ts';
import { subscribeSse } from '../support/streams.ts';

let world: FuzzWorld;
beforeAll(async () => void (world = await startFuzzWorld()));
afterAll(() => world.close());

type Field = GraphQLField<unknown, unknown>;
type Kind = 'Query' | 'Viewer' | 'Mutation' | 'Subscription';
const fieldsOf = (name: string): Field[] => {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.values(type.getFields()) : [];
};
const operations = (['Query', 'Viewer', 'Mutation', 'Subscription'] as const).flatMap((kind) =>
  fieldsOf(kind).map((field) => ({ kind, field })),
);

/** The document of an operation with all that its type shows two objects deep, every argument on the way a variable of its own. */
function documentOf(
  kind: Kind,
  field: Field,
): { query: string; variables: Map<string, GraphQLInputType> } {
  const variables = new Map<string, GraphQLInputType>();
  const call = ({ name, args }: Field, type: string): string => {
    const given = args.map((arg: GraphQLArgument) => {
      const variable = `${type}_${name}_${arg.name}`;
      variables.set(variable, arg.type);
      return `${arg.name}: $${variable}`;
    });
    return given.length > 0 ? `${name}(${given.join(' ')})` : name;
  };
  const select = (output: GraphQLOutputType, depth: number): string => {
    const type = getNamedType(output);
    if (isLeafType(type)) return '';
    if (isUnionType(type))
      return `{ __typename ${type
        .getTypes()
        .map((member) =>
          /Error$/.test(member.name)
            ? `... on ${member.name} { message }`
            : `... on ${member.name} ${select(member, depth)}`,
        )
        .join(' ')} }`;
    if (!isObjectType(type)) return '{ __typename }';
    const shown = Object.values(type.getFields()).filter((one) =>
      isLeafType(getNamedType(one.type))
        ? one.args.length > 0 || depth > 0
        : depth > 1 && !/^(edges|viewer)$/.test(one.name),
    );
    return `{ __typename ${shown
      .slice(0, 45)
      .map((one) => `${call(one, type.name)} ${select(one.type, depth - 1)}`)
      .join(' ')} }`;
  };
  const body = `${call(field, kind)} ${select(field.type, 3)}`;
  const inner = kind === 'Viewer' ? `viewer { ${body} }` : body;
  const declared = [...variables].map(([name, type]) => `$${name}: ${String(type)}`).join(' ');
  return {
    query: `${kind === 'Viewer' ? 'query' : kind.toLowerCase()}${declared === '' ? '' : `(${declared})`} { ${inner} }`,
    variables,
  };
}

/** JSON text for an input type: of its shape as a rule, with odd leaves; sometimes of any shape. */
function valueOf(type: GraphQLInputType, name: string): fc.Arbitrary<string | undefined> {
  const text = oddText(world);
  const inner = isNonNullType(type) ? type.ofType : type;
  const ofShape = ((): fc.Arbitrary<string | undefined> => {
    if (isListType(inner))
      return fc
        .array(valueOf(inner.ofType, name), { maxLength: 3 })
        .map((items) => `[${items.map((item) => item ?? 'null').join(',')}]`);
    if (isInputObjectType(inner)) {
      const members = Object.values(inner.getFields()).map((field) =>
        valueOf(field.type, field.name).map((value) =>
          value === undefined ? [] : [`${JSON.stringify(field.name)}:${value}`],
        ),
      );
      return fc.tuple(...members).map((all) => `{${all.flat().join(',')}}`);
    }
    if (isEnumType(inner))
      return fc.constantFrom(...inner.getValues().map((value) => JSON.stringify(value.name)));
    const odd = text.map((value) => JSON.stringify(value));
    switch (String(inner)) {
      case 'Int':
        return /^(first|last)$/.test(name)
          ? fc.constantFrom('0', '1', '2', '3', '101', '-1', '1.5')
          : fc.oneof(
              fc.constantFrom(
                '0',
                '1',
                '2',
                '12',
                '2027',
                '-1',
                '2147483647',
                '-2147483648',
                '2147483648',
              ),
              fc.integer().map(String),
            );
      case 'Float':
      case 'SafeInt':
      case 'Timestamp':
        return fc.oneof(
          fc.constantFrom(
            '0',
            '1',
            '-1',
            '0.5',
            '30',
            '1e300',
            '-1e300',
            '9007199254740991',
            '-9007199254740991',
            '9007199254740992',
            '1798761600000',
          ),
          fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
        );
      case 'Boolean':
        return fc.constantFrom('true', 'false');
      case 'ID':
        return fc.oneof(
          {
            weight: 2,
            arbitrary: fc.constantFrom(...world.globalIds).map((id) => JSON.stringify(id)),
          },
          { weight: 1, arbitrary: odd },
          { weight: 1, arbitrary: fc.constantFrom('1', '-1', '9007199254740991') },
        );
      case 'UUID':
        return fc
          .constantFrom(...world.uuids, '00000000-0000-0000-0000-000000000000', 'x')
          .map((id) => JSON.stringify(id));
      case 'LocalDate':
        return fc
          .constantFrom(
            '2027-01-10',
            '2027-02-01',
            '0000-01-01',
            '0001-01-01',
            '1899-12-31',
            '9999-12-31',
            '9998-12-31',
            '2027-02-30',
          )
          .map((day) => JSON.stringify(day));
      case 'LocalDateTime':
        return fc
          .constantFrom(
            '2027-01-10T10:00:00',
            '2027-03-28T02:30:00',
            '0000-00-00T00:00:00',
            '9999-99-99T99:99:99',
            '9999-12-31T23:59:59',
            '0001-01-01T00:00:00',
          )
          .map((time) => JSON.stringify(time));
      case 'DateTime':
        return fc
          .constantFrom(
            '2027-01-10T10:00:00Z',
            '0000-01-01T00:00:00Z',
            '0001-01-01T00:00:00-23:59',
            '9999-12-31T23:59:59.999Z',
            '2027-01-10T10:00:00+25:00',
            '2016-12-31T23:59:60Z',
          )
          .map((time) => JSON.stringify(time));
      case 'URL':
        return fc.oneof(
          fc.constantFrom(
            '"/task/v1/feeds/list?limit=5"',
            '"https://example.com/task/v1/feeds/count?start_date=x"',
            '"curl -X POST https://a/api/Workspaces/create -d \'{}\'"',
          ),
          odd,
        );
      case 'JSON':
        return oddJson(text);
      default:
        return odd;
    }
  })();
  const weights: fc.WeightedArbitrary<string | undefined>[] = [
    { weight: 12, arbitrary: ofShape },
    { weight: 1, arbitrary: oddJson(text) },
  ];
  if (!isNonNullType(type))
    weights.push(
      { weight: name.includes('input') ? 1 : 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant('null') },
    );
  return fc.oneof(...weights);
}

const failures = (text: string): void => {
  const answer = JSON.parse(text) as {
    data?: unknown;
    errors?: { message: unknown; extensions?: { code?: unknown } }[];
  };
  expect(
    Object.keys(answer).every((key) => ['data', 'errors', 'extensions'].includes(key)) &&
      ('data' in answer || 'errors' in answer),
    text.slice(0, 500),
  ).toBe(true);
  for (const { message, extensions } of answer.errors ?? []) {
    expect([typeof message, typeof extensions?.code], text.slice(0, 500)).toEqual([
      'string',
      'string',
    ]);
    expect(
      ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'TIMEOUT'],
      text.slice(0, 500),
    ).not.toContain(extensions?.code);
  }
};

// What takes away what the others are about comes last; each password that is tried costs what argon2 costs.
const last = /^(delete|enable|revoke|signOut|end)/;
const ordered = [...operations].sort(
  (a, b) => Number(last.test(a.field.name)) - Number(last.test(b.field.name)),
);
const upload = new Set(['addImage']);
let seen = 0;

it.each(ordered.map(({ kind, field }) => [`${kind}.${field.name}`, kind, field] as const))(
  '%s answers any variables with data or coded errors',
  { timeout: 120_000 },
  async (_, kind, field) => {
    const { query, variables } = documentOf(kind, field);
    const given = fc
      .tuple(
        ...[...variables].map(([name, type]) =>
          valueOf(type, name.split('_').at(-1) ?? '').map((value) =>
            value === undefined ? [] : [`${JSON.stringify(name)}:${value}`],
          ),
        ),
      )
      .map((all) => `{${all.flat().join(',')}}`);
    const any = fc.oneof(
      { weight: 15, arbitrary: given },
      { weight: 1, arbitrary: oddJson(oddText(world), [...variables.keys()]) },
    );
    const callers = fc.oneof(
      { weight: 6, arbitrary: fc.constant('user' as const) },
      { weight: 1, arbitrary: fc.constantFrom('anonymous' as const, 'customer' as const) },
    );
    let executed = 0;
    await fc.assert(
      fc.asyncProperty(callers, any, async (caller, json) => {
        const session =
          field.name === 'signOut'
            ? { 'x-service-csrf-token-x': await world.signedIn('ana') }
            : undefined;
        const headers = {
          'content-type': 'application/json',
          ...(caller === 'user' && session ? session : world.callers[caller]),
        };
        if (kind === 'Subscription') {
          const parsed: unknown = JSON.parse(json);
          const isUsable =
            typeof parsed === 'object' &&
            parsed !== null &&
            !Array.isArray(parsed) &&
            !isNestedDeeper(parsed, 1_000);
          const stream = await subscribeSse(world, world.ana, query, isUsable ? parsed : {});
          await new Promise((resolve) => setTimeout(resolve, 5));
          stream.close();
          for (const result of stream.results)
            if (result !== 'complete') failures(JSON.stringify(result));
          return;
        }
        const answer = await world.rest('/graphql', undefined, {
          method: 'POST',
          headers,
          body: `{"query":${JSON.stringify(query)},"variables":${json}}`,
        });
        expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
        failures(answer.text);
        if (answer.text.startsWith('{"data":{')) executed++;
      }),
      fuzzRuns(field.name === 'signIn' || kind === 'Subscription' ? 12 : 40),
    );
    if (kind !== 'Subscription' && !upload.has(field.name)) seen += Number(executed > 0);
  },
);

it('most of it ran: the variables are not all refused before', () => {
  expect(seen).toBeGreaterThan(operations.length / 2);
});
