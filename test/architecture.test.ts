import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { configVariables } from '../src/core/context/config-variables.ts';
import { routes } from '../src/server/routes/routes.ts';

/** What the folders may do: imports point from an earlier row to a later one, never sideways. `client` and `sdk` import nothing of ours: they run elsewhere. `browser` is compiled for the pages, with the pure functions that it uses. */
const ranks = [
  ['main.ts', 'cli.ts'],
  ['commands'],
  ['server'],
  ['browser'],
  ['import', 'cells'],
  // Tasks from outside are feeds: the tracker stands on task execution (one graph), never the other way round.
  ['task-tracker'],
  ['task-execution', 'dataset-management', 'accounts'],
  ['auth', 'storage', 'imaging'],
  ['core'],
  ['generated', 'client', 'sdk'],
];
const domains = ['task-tracker', 'task-execution', 'dataset-management', 'accounts'];

/** The files of core that belong to one surface, and who may import them. */
const surfaces = [
  {
    surface: 'GraphQL',
    files: /^core\/graphql\/|^task-execution\/feeds\/selected-fields\.ts$/,
    importers: /(^|\/)(schema(-[a-z-]+)?|selected-fields)\.ts$|^task-execution\/feeds\/fast\//,
  },
  {
    surface: 'REST',
    files: /^core\/rest\/(route|parameters|body-parameters|read-input)\.ts$/,
    importers: /(^|\/)(rest|[a-z-]+-parameters|(present|explain)-[a-z-]+)\.ts$/,
  },
];

/** The folders whose files may hold SQL. A folder that no longer does is taken off the list. */
const sqlFolders = [
  'accounts/audit',
  'accounts/users',
  'auth',
  'core/database',
  'core/database/copy',
  'core/database/replicas',
  'core/database/server',
  'core/lists',
  'core/migrations',
  'core/sql',
  'dataset-management/content',
  'dataset-management/export/selection',
  'dataset-management/projects',
  'dataset-management/sweep',
  'dataset-management/versions/freeze',
  'import/demo',
  'server/legacy-usage',
  'task-execution/calendar',
  'task-execution/change-log',
  'task-execution/changes',
  'task-execution/configuration',
  'task-execution/feeds',
  'task-execution/feeds/fields',
  'task-execution/feeds/records',
  'task-execution/feeds/selection',
  'task-execution/leadership-calendar',
  'task-tracker',
];

interface Import {
  /** Module as it is written, or the path below src of a file of ours. */
  to: string;
  typeOnly: boolean;
  names: string[];
}

interface SourceFile {
  /** Path below src. */
  path: string;
  text: string;
  imports: Import[];
  /** The exported functions, with the type of their first parameter. */
  functions: { name: string; takes: string | undefined }[];
  literals: string[];
  /** Lines with the type `any`. */
  anys: number[];
  /** What is written to a context, or to an object that may be one, as it is written. */
  contextWrites: string[];
}

/** Names of variables that hold a context. */
const CONTEXT = /^(ctx|context|contextValue|caller|reader)$/;

const isContext = (node: ts.Node): boolean => ts.isIdentifier(node) && CONTEXT.test(node.text);
const isMemberOfContext = (node: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
  isContext(node.expression);

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .sort()
  .map((path) => readSource(path, readFileSync(join(root, 'src', path), 'utf8')));

/** Does it change a context? Where contexts are known by their type, `Object.assign` and the like do to any variable: what is new is none. */
function writesToContext(node: ts.Node, typed: boolean): boolean {
  if (ts.isBinaryExpression(node))
    return (
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment &&
      isMemberOfContext(node.left)
    );
  if (ts.isDeleteExpression(node)) return isMemberOfContext(node.expression);
  if (!ts.isCallExpression(node)) return false;
  const [target] = node.arguments;
  return (
    node.expression.getText() === 'extendContext' ||
    (/^(Object|Reflect)\.(assign|set|defineProperty|defineProperties)$/.test(
      node.expression.getText(),
    ) &&
      target !== undefined &&
      (typed ? ts.isIdentifier(target) : isContext(target)))
  );
}

function readSource(path: string, text: string): SourceFile {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const file: SourceFile = {
    path,
    text,
    imports: [],
    functions: [],
    literals: [],
    anys: [],
    contextWrites: [],
  };
  const addImport = (
    specifier: ts.Node | undefined,
    typeOnly: boolean,
    names: string[] = [],
  ): void => {
    if (!specifier || !ts.isStringLiteral(specifier)) return;
    file.imports.push({
      to: specifier.text.startsWith('.')
        ? posix.join(dirname(path), specifier.text)
        : specifier.text,
      typeOnly,
      names,
    });
  };
  const typed = text.includes("/context.ts';");
  const visit = (node: ts.Node): void => {
    if (writesToContext(node, typed)) file.contextWrites.push(node.getText());
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const names =
        bindings && ts.isNamedImports(bindings)
          ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
          : [];
      addImport(
        node.moduleSpecifier,
        node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
        names,
      );
    } else if (ts.isExportDeclaration(node)) addImport(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      addImport(node.arguments[0], false);
    else if (ts.isStringLiteralLike(node)) file.literals.push(node.text);
    else if (ts.isTemplateExpression(node))
      file.literals.push(
        [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('$'),
      );
    else if (node.kind === ts.SyntaxKind.AnyKeyword)
      file.anys.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    else if (
      ts.isFunctionDeclaration(node) &&
      node.name &&
      node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    ) {
      file.functions.push({ name: node.name.text, takes: node.parameters[0]?.type?.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return file;
}

/** Whether a text writes a table: by SQL, by its model, or by the relation of another model. */
function writes(text: string, table: string, model: string): boolean {
  const change = '(create|update|upsert|delete|connectOrCreate)';
  return [
    `(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE( TABLE)?|COPY)\\s+(ONLY\\s+)?(public\\.)?"?(${table})(?!\\w)`,
    `\\b(${model})\\s*\\.\\s*${change}`,
    `\\b(${model})s?: \\{\\s*${change}`,
  ].some((pattern) => new RegExp(pattern, 'i').test(text));
}

/** The folder of src that a path is in, or the file of src that it is. */
const area = (path: string): string => path.split('/')[0] ?? '';
const rankOf = (path: string): number => ranks.findIndex((row) => row.includes(area(path)));
const camelCase = (kebab: string): string =>
  kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const isSurface = (path: string): boolean => /(^|\/)(rest|schema(-[a-z-]+)?)\.ts$/.test(path);
const isOurs = ({ to }: Import): boolean => /\.ts$/.test(to);
const edges = files.flatMap((file) =>
  file.imports.filter(isOurs).map((one) => ({ ...one, from: file.path })),
);
const written = (from: { from: string; to: string }[]): string[] => [
  ...new Set(from.map((edge) => `${edge.from} → ${edge.to}`)),
];

const isGraphQL = ({ to, typeOnly }: Import): boolean =>
  !typeOnly && (to === 'graphql' || to.startsWith('@pothos/'));

/** One ring of imports, if there is any. */
function cycleIn(imports: readonly { from: string; to: string }[]): string[] | undefined {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of imports) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const cycleFrom = (path: string, above: string[]): string[] | undefined => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const target of targets.get(path) ?? []) {
      const cycle = cycleFrom(target, [...above, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  return [...targets.keys()]
    .map((path) => cycleFrom(path, []))
    .find((cycle) => cycle !== undefined);
}

describe('imports', () => {
  it('every folder has its rank', () => {
    expect(
      [...new Set(files.map(({ path }) => area(path)))].filter((one) => rankOf(one) === -1),
    ).toEqual([]);
  });

  it('point from main, cli → commands → server → import → domains → auth, storage → core, and never sideways', () => {
    expect(
      written(
        edges.filter(({ from, to }) => area(from) !== area(to) && rankOf(from) >= rankOf(to)),
      ),
    ).toEqual([]);
  });

  it.each(surfaces)(
    'of the $surface surface stand in its own files',
    ({ files: belonging, importers }) => {
      const strangers = edges.filter(
        ({ from, to }) =>
          belonging.test(to) &&
          area(from) !== 'core' &&
          area(from) !== 'server' &&
          !importers.test(from),
      );
      expect(written(strangers)).toEqual([]);
    },
  );

  it('of a surface come from the server and from surfaces only', () => {
    expect(
      written(
        edges.filter(
          ({ from, to }) => isSurface(to) && area(from) !== 'server' && !isSurface(from),
        ),
      ),
    ).toEqual([]);
  });

  it('form no cycle between files, types included', () => {
    expect(cycleIn(edges)).toBeUndefined();
  });

  it('form no cycle between folders, types included', () => {
    const between = edges
      .map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }))
      .filter(({ from, to }) => from !== to);
    expect(cycleIn(between)).toBeUndefined();
  });

  it('of graphql and Pothos stand in schema files, core/graphql, server/graphql and the fast lane only', () => {
    const belongs = /^(core|server)\/graphql\/|\/fast\/|(^|\/)schema(-[a-z-]+)?\.ts$/;
    const strangers = files
      .filter(({ path, imports }) => !belongs.test(path) && imports.some(isGraphQL))
      .map(({ path }) => path);
    expect(strangers).toEqual([]);
  });
});

describe('files', () => {
  it('are at most 20 in a folder', () => {
    const sizes = new Map<string, number>();
    for (const { path } of files) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 20)).toEqual([]);
  });

  const sql = /\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|EXISTS \(SELECT)\b/s;
  const holders = files
    .filter(({ literals }) => literals.some((literal) => sql.test(literal)))
    .map(({ path }) => path);

  it('hold SQL in these folders only', () => {
    expect([...new Set(holders.map((path) => dirname(path)))].sort()).toEqual(sqlFolders);
  });

  // Else a writer forgets the version, by which clients notice a change. What users set on feeds has none.
  it('of feeds are written in one place', () => {
    const writers = (table: string, model: string): string[] =>
      files
        .filter(({ path, text }) => !path.startsWith('client/') && writes(text, table, model))
        .map(({ path }) => path);
    const folder = 'task-execution/feeds/records';
    expect(writers('feed', 'feed')).toEqual([`${folder}/feed-writes.sql.ts`]);
    expect(
      writers(
        'feed_(assignment|tag|attribute|user_state)',
        'feed(Assignment|Tag|Attribute|UserState)',
      ),
    ).toEqual([`${folder}/feed-part-writes.sql.ts`]);
    // A table that is named by an argument could be any. Those that copy a domain, or delete it, leave versions as they are.
    const copies = ['delete-rows', 'row-sql', 'write-rows'];
    expect(writers('\\$\\{.*?\\}', '$')).toEqual([
      ...copies.map((name) => `core/database/copy/${name}.ts`),
      `${folder}/feed-part-writes.sql.ts`,
    ]);
  });

  it('are seen to write a table however that is done', () => {
    const seen = [
      'INSERT INTO feed (title)',
      'UPDATE feed SET title = 1',
      'update only "feed" f set title = 1',
      'DELETE FROM public.feed',
      'MERGE INTO feed',
      'TRUNCATE feed',
      'COPY feed FROM STDIN',
      'db.prisma.feed.update({})',
      'tx.prisma.feed\n  .createMany({})',
      'const { feed } = db.prisma; feed.upsert({})',
      'prisma.domain.update({ data: { feeds: { create: {} } } })',
      'prisma.externalTask.create({ data: { feed: { connectOrCreate: {} } } })',
    ];
    const others = [
      'INSERT INTO feed_tag (tag)',
      'SELECT * FROM feed FOR UPDATE',
      'prisma.feed.findMany({})',
      'prisma.feedTag.create({})',
      'prisma.externalTask.create({ data: { feed: { connect: {} } } })',
    ];
    expect([...seen, ...others].filter((text) => writes(text, 'feed', 'feed'))).toEqual(seen);
  });

  // A surface calls operations: it doesn't read the database itself.
  it('of a surface hold no SQL', () => {
    expect(holders.filter(isSurface)).toEqual([]);
  });

  it('have kebab-case names that say what they hold', () => {
    const bad = files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*((\.sql)?\.ts)?$/.test(part)) ||
          /(^|\/)(index|utils?|helpers?|misc|common)\.ts$/.test(path),
      );
    expect(bad).toEqual([]);
  });

  // An operation is a function of a context that a surface calls: `list-feeds.ts` exports `listFeeds`. What else the file exports stands beside it.
  it('of operations export the function that they are named after', () => {
    const called = new Set(
      edges
        .filter(({ from }) => isSurface(from))
        .flatMap(({ to, names }) => names.map((name) => `${to} ${name}`)),
    );
    const singular = (name: string): string => name.replace(/s$/, '');
    const operations = files.filter(
      ({ path, functions }) =>
        domains.includes(area(path)) &&
        !isSurface(path) &&
        functions.some(
          ({ name, takes }) =>
            /^(SignedIn)?Context$/.test(takes ?? '') && called.has(`${path} ${name}`),
        ),
    );
    const misnamed = operations.filter(
      ({ path, functions }) =>
        !functions.some(
          ({ name }) => singular(name) === singular(camelCase(basename(path, '.ts'))),
        ),
    );
    expect(operations.length).toBeGreaterThan(50);
    expect(
      misnamed.map(
        ({ path, functions }) => `${path}: ${functions.map(({ name }) => name).join(', ')}`,
      ),
    ).toEqual([]);
  });

  it('hold no loose ends', () => {
    // TODO as a comment; as a word it is a documented status of tasks.
    const loose = /(\/\/|\/\*|^ \*) *(TODO|FIXME|XXX)\b|@ts-(ignore|nocheck|expect-error)/;
    const lines = files.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (loose.test(line) ? [`${path}:${index + 1}`] : [])),
    );
    expect([
      ...lines,
      ...files.flatMap(({ path, anys }) => anys.map((line) => `${path}:${line}: any`)),
    ]).toEqual([]);
  });
});

describe('a context', () => {
  it('is written to by nobody but who builds it, the sign-in of GraphQL, and what puts mutations on record', () => {
    const writers = files.filter(
      ({ path, contextWrites }) => !/^(client|sdk)\//.test(path) && contextWrites.length > 0,
    );
    expect(
      Object.fromEntries(writers.map(({ path, contextWrites }) => [path, contextWrites])),
    ).toEqual({
      'auth/guards.ts': ['Object.assign(ctx, caller)'],
      'server/graphql/choose-reads.ts': [
        'Object.assign(contextValue, { reads, ...stoppedReads({ db, reads, signal }) })',
        'Object.assign(contextValue, { reads: contextValue.reads.within(limitReading()) })',
      ],
      'server/graphql/schema/put-mutations-on-record.ts': ['Object.assign(ctx, { act })'],
    });
  });

  it('is seen to be written to however that is done', () => {
    const writes = [
      'ctx.viewer = null',
      "context['reads'] ??= reads",
      'delete caller.signal',
      'Object.assign(ctx, { viewer })',
      "Object.defineProperty(ctx, 'viewer', {})",
      "Reflect.set(ctx, 'viewer', null)",
      'extendContext({})',
    ];
    const others = ['Object.assign({ ...ctx }, { viewer })', 'ctx.viewer === null', 'own = ctx'];
    const elsewhere = 'Object.assign(anything, { viewer })';
    const seenIn = (lines: readonly string[]): string[] =>
      readSource('made-up.ts', lines.join(';\n')).contextWrites;
    expect(seenIn([...writes, ...others, elsewhere])).toEqual(writes);
    expect(seenIn(["import '../core/context/context.ts'", elsewhere, ...others])).toEqual([
      elsewhere,
    ]);
  });

  it('has no member that may be written to', () => {
    const { text } = files.find(({ path }) => path === 'core/context/context.ts') ?? { text: '' };
    const source = ts.createSourceFile('context.ts', text, ts.ScriptTarget.Latest, true);
    const properties = source.statements
      .filter(ts.isInterfaceDeclaration)
      .filter(({ name }) => /^(Services|Context|SignedInContext)$/.test(name.text))
      .flatMap(({ members }) => [...members].filter(ts.isPropertySignature));
    const isReadonly = ({ modifiers }: ts.PropertySignature): boolean =>
      modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;
    expect(properties.length).toBeGreaterThan(25);
    expect(properties.filter((one) => !isReadonly(one)).map((one) => one.getText())).toEqual([]);
  });

  // An operation takes a SignedInContext. Tasks and templates from outside are also made and read by customers, who have no session.
  it('is narrowed to a signed-in one where a request enters, not by operations', () => {
    const narrowing = edges
      .filter(({ to, names }) => to === 'auth/guards.ts' && names.includes('signedIn'))
      .map(({ from }) => from);
    expect(narrowing.length).toBeGreaterThan(20);
    expect(narrowing.filter((path) => !/(^|\/)schema(-[a-z-]+)?\.ts$/.test(path)).sort()).toEqual([
      'server/rest/run-route.ts',
      'task-tracker/require-author.ts',
      'task-tracker/tasks/load-external-task.ts',
    ]);
  });
});

describe('paths', () => {
  it('each documented path stands whole, once', () => {
    // The client libraries and pages name the paths that they call, as any client does, and the table of deprecations those that it dates.
    const literals = files
      .filter(
        ({ path }) => !/^(sdk|client|browser)\/|^server\/routes\/deprecations\.ts$/.test(path),
      )
      .flatMap((file) => file.literals);
    const paths = [...new Set(routes.map(({ path }) => path))];
    const methods = (path: string): number => routes.filter((route) => route.path === path).length;
    expect(
      paths.filter(
        (path) => literals.filter((literal) => literal === path).length !== methods(path),
      ),
    ).toEqual([]);
  });

  it('no method and path is served twice', () => {
    const served = routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`,
    );
    expect(served.filter((one, index) => served.indexOf(one) !== index)).toEqual([]);
  });
});

describe('beside the code', () => {
  it('.env.example lists the variables of core/context/config.ts, and no others', () => {
    const listed = [
      ...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm),
    ].map(([, name]) => name);
    expect(listed.sort()).toEqual([...configVariables].sort());
  });

  it('what package.json exports is built from a file of src', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, Record<string, string>>;
    };
    const built = Object.values(exports).flatMap((conditions) => Object.values(conditions));
    const sources = built.map((target) =>
      target.replace(/^\.\/dist\//, '').replace(/(\.d\.ts|\.js)$/, '.ts'),
    );
    expect(sources.filter((source) => !files.some(({ path }) => path === source))).toEqual([]);
  });
});
