import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/** A list of a schema: its document without anything of its rows, and with one part of them each. */
export interface ListDocuments {
  /** `Workspace.datasets` */
  name: string;
  /** The document without the list. */
  without: string;
  /** With only the names of the rows' types. */
  bare: string;
  /** Name of the rows' type. */
  type: string;
  /** With the plain fields of the rows, or one other field; and how many statements that may take. */
  parts: { name: string; document: string; most: number }[];
}

/** Arguments of fields that need some: by `Type.field`, or by `Type.field Type` for one of the types that it may return. */
export type Arguments = Readonly<Record<string, string>>;

interface Way {
  lists: number;
  length: number;
  write: (inner: string) => string;
}

/** The documents of every list of objects that a query can reach, each below as many other lists as can be. */
export function listDocuments(schema: GraphQLSchema, given: Arguments): ListDocuments[] {
  const query = schema.getQueryType();
  if (!query) return [];
  const writer = new Writer(schema, given);
  const ways = new Map<string, Way>();
  writer.walk(query, { lists: 0, length: 0, write: (inner) => `{ ${inner} }` }, [], ways);
  return [...ways].flatMap(([typeName, way]) => {
    const parent = schema.getType(typeName);
    if (!isObjectType(parent) || isConnection(parent)) return [];
    return Object.values(parent.getFields()).flatMap((field) =>
      isList(field) ? writer.documents(parent, field, way) : [],
    );
  });
}

class Writer {
  readonly #schema: GraphQLSchema;
  readonly #given: Arguments;

  constructor(schema: GraphQLSchema, given: Arguments) {
    this.#schema = schema;
    this.#given = given;
  }

  documents(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    way: Way,
  ): ListDocuments[] {
    return this.#rows(parent, field).map(({ type, write }) => {
      const document = (inner: string): string => way.write(write(inner));
      const fields = Object.values(type.getFields());
      const plain = this.#plain(type);
      const nested = fields.flatMap((one) => this.#nested(type, one));
      return {
        name: `${parent.name}.${field.name} of ${type.name}`,
        type: type.name,
        without: way.write('__typename'),
        bare: document('__typename'),
        parts: [
          ...(plain === '' ? [] : [{ name: 'plain fields', document: document(plain), most: 1 }]),
          ...nested.map(({ text, ...part }) => ({ ...part, document: document(text) })),
        ],
      };
    });
  }

  /** Finds a way to each object type: of two, the one through more lists, then the shorter one. */
  walk(type: GraphQLObjectType, way: Way, passed: readonly string[], ways: Map<string, Way>): void {
    const known = ways.get(type.name);
    if (
      !known ||
      way.lists > known.lists ||
      (way.lists === known.lists && way.length < known.length)
    )
      ways.set(type.name, way);
    if (way.length === 5) return;
    for (const field of Object.values(type.getFields())) {
      if (isLeafType(getNamedType(field.type))) continue;
      for (const { type: next, write } of this.#rows(type, field)) {
        if (next === type || passed.includes(next.name) || isError(next)) continue;
        const lists = way.lists + Number(isList(field));
        const further: Way = {
          lists,
          length: way.length + 1,
          write: (inner) => way.write(write(inner)),
        };
        if (lists <= 2) this.walk(next, further, [...passed, type.name], ways);
      }
    }
  }

  /** What a field yields, or the rows of its page: the object types, and how to select something of one. */
  #rows(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
  ): { type: GraphQLObjectType; write: (inner: string) => string }[] {
    const named = getNamedType(field.type);
    const page =
      isObjectType(named) && isConnection(named) ? named.getFields()['nodes'] : undefined;
    const row = page ? getNamedType(page.type) : named;
    return this.#possible(row).flatMap((type) => {
      const head = this.#head(parent, field, type);
      const within = (inner: string): string =>
        isAbstractType(row) ? `... on ${type.name} { ${inner} }` : inner;
      return head === undefined
        ? []
        : [
            {
              type,
              write: (inner: string) =>
                `${head} { ${page ? `nodes { ${within(inner)} }` : within(inner)} }`,
            },
          ];
    });
  }

  /** The field and its arguments; undefined where some are needed and none are given. */
  #head(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    type: GraphQLObjectType,
  ): string | undefined {
    const name = `${parent.name}.${field.name}`;
    const given = this.#given[`${name} ${type.name}`] ?? this.#given[name];
    if (given !== undefined) return `${field.name}(${given})`;
    if (field.args.some(isRequiredArgument)) return undefined;
    return field.args.some((arg) => arg.name === 'first') ? `${field.name}(first: 3)` : field.name;
  }

  #possible(type: GraphQLNamedOutputType): readonly GraphQLObjectType[] {
    if (isObjectType(type)) return [type];
    return isUnionType(type) || isInterfaceType(type) ? this.#schema.getPossibleTypes(type) : [];
  }

  #plain(type: GraphQLObjectType): string {
    return Object.values(type.getFields())
      .filter(
        (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
      )
      .map(({ name }) => name)
      .join(' ');
  }

  #nested(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
  ): { name: string; text: string; most: number }[] {
    const named = getNamedType(field.type);
    if (isLeafType(named)) return [];
    const parts = this.#rows(parent, field).map(({ type, write }) => ({
      name: `${field.name} of ${type.name}`,
      text: write('__typename'),
      most: 1,
    }));
    if (!isObjectType(named) || !isConnection(named)) return parts;
    return [
      ...parts,
      {
        // The page and its length.
        name: `the length of ${field.name}`,
        text: `${field.name}(first: 3) { totalCount }`,
        most: 2,
      },
      {
        name: `the position of ${field.name}`,
        text: `${field.name}(first: 3) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`,
        most: 1,
      },
    ];
  }
}

function isConnection(type: GraphQLObjectType): boolean {
  return type.name.endsWith('Connection');
}

function isError(type: GraphQLObjectType): boolean {
  return type.getInterfaces().some(({ name }) => name === 'UserError');
}

function isList(field: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(field.type);
  if (isLeafType(named)) return false;
  return (isObjectType(named) && isConnection(named)) || isListType(getNullableType(field.type));
}
