import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { configVariables } from '../src/core/context/config.ts';
import { routes } from '../src/server/routes/routes.ts';

/** What the folders may do: imports point from an earlier row to a later one, never sideways. `client` and `sdk` import nothing of ours: they run elsewhere. */
const ranks = [
  ['main.ts', 'cli.ts'],
  ['commands'],
  ['server'],
  ['import'],
  // Tasks from outside are feeds: the tracker stands on task execution (one graph), never the other way round.
  ['task-tracker'],
  ['task-execution', 'dataset-management', 'accounts'],
  ['auth', 'storage', 'imaging'],
  ['core'],
  ['generated', 'client', 'sdk'],
];
const domains = ['task-tracker', 'task-execution', 'dataset-management', 'accounts'];

/** The files of core that belong to one face, and who may import them. */
const faces = [
  {
    face: 'GraphQL',
    files: /^core\/graphql\/|^task-execution\/feeds\/selected-fields\.ts$/,
    importers: /(^|\/)(schema(-[a-z-]+)?|selected-fields)\.ts$|^task-execution\/feeds\/fast\//,
  },
  {
    face: 'REST',
    files: /^core\/rest\/(route|parameters|body-parameters)\.ts$/,
    importers: /(^|\/)(rest|[a-z-]+-parameters|(present|explain)-[a-z-]+)\.ts$/,
  },
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
}

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .sort()
  .map(readSource);

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const file: SourceFile = { path, text, imports: [], functions: [], literals: [], anys: [] };
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
  const visit = (node: ts.Node): void => {
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

/** The folder of src that a path is in, or the file of src that it is. */
const area = (path: string): string => path.split('/')[0] ?? '';
const rankOf = (path: string): number => ranks.findIndex((row) => row.includes(area(path)));
const camelCase = (kebab: string): string =>
  kebab.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const isFace = (path: string): boolean => /(^|\/)(rest|schema(-[a-z-]+)?)\.ts$/.test(path);
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

  it.each(faces)('of the $face face stand in its own files', ({ files: belonging, importers }) => {
    const strangers = edges.filter(
      ({ from, to }) =>
        belonging.test(to) &&
        area(from) !== 'core' &&
        area(from) !== 'server' &&
        !importers.test(from),
    );
    expect(written(strangers)).toEqual([]);
  });

  it('of a face come from the server and from faces only', () => {
    expect(
      written(
        edges.filter(({ from, to }) => isFace(to) && area(from) !== 'server' && !isFace(from)),
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

  // The surfaces of a resource call its operations, and the process is put together by the server: what reads the database stands beside neither.
  it('of a surface, a command or the HTTP server hold no SQL', () => {
    const sql = /\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/s;
    const holders = files.filter(
      ({ path, literals }) =>
        (isFace(path) ||
          /^(server\/(http|rest|routes|graphql|explain|openapi)|client|sdk)\//.test(path)) &&
        literals.some((literal) => sql.test(literal)),
    );
    expect(holders.map(({ path }) => path)).toEqual([]);
  });

  it('have kebab-case names that say what they hold', () => {
    const bad = files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.ts)?$/.test(part)) ||
          /(^|\/)(index|utils?|helpers?|misc|common)\.ts$/.test(path),
      );
    expect(bad).toEqual([]);
  });

  // An operation is a function of a context that a face calls: `list-feeds.ts` exports `listFeeds`. What else the file exports stands beside it.
  it('of operations export the function that they are named after', () => {
    const called = new Set(
      edges
        .filter(({ from }) => isFace(from))
        .flatMap(({ to, names }) => names.map((name) => `${to} ${name}`)),
    );
    const singular = (name: string): string => name.replace(/s$/, '');
    const operations = files.filter(
      ({ path, functions }) =>
        domains.includes(area(path)) &&
        !isFace(path) &&
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

describe('paths', () => {
  it('each documented path stands whole, once', () => {
    // The client libraries name the paths that they call, as any client does, and the table of deprecations those that it dates.
    const literals = files
      .filter(({ path }) => !/^(sdk|client)\/|^server\/routes\/deprecations\.ts$/.test(path))
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
