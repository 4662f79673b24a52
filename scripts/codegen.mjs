// Types the client's documents (codegen.ts) when the schema, a document, codegen.ts or the generator changed since the last time; else does nothing.
// Calls the preset as graphql-codegen's command line does, which brings some ninety packages for what isn't read here.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'src/generated/client/';
const stamp = join(folder, '.stamp');
const documents = readdirSync('test/client', { recursive: true })
  .map((name) => join('test/client', String(name)))
  .filter((name) => name.endsWith('.ts'))
  .sort();
const sources = [
  'schema.graphql',
  'codegen.ts',
  'node_modules/@graphql-codegen/client-preset/package.json',
  ...documents,
];
const hash = createHash('sha256');
for (const source of sources) hash.update(source).update(readFileSync(source));
const digest = hash.digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  await run();
  writeFileSync(stamp, digest);
}

async function run() {
  const [
    { codegen },
    { preset },
    { gqlPluckFromCodeString },
    { buildASTSchema, parse },
    { tsImport },
  ] = await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/client-preset'),
    import('@graphql-tools/graphql-tag-pluck'),
    import('graphql'),
    import('tsx/esm/api'),
  ]);
  const { default: config } = await tsImport('../codegen.ts', import.meta.url);
  const schema = parse(readFileSync(config.schema, 'utf8'));
  const read = [];
  for (const location of documents)
    for (const { body } of await gqlPluckFromCodeString(location, readFileSync(location, 'utf8'), {
      // Its text is what graphql(`…`) is called with.
      skipIndent: true,
    }))
      read.push({ location, rawSDL: body, document: parse(body) });
  const files = await preset.buildGeneratesSection({
    baseOutputDir: folder,
    schema,
    schemaAst: buildASTSchema(schema),
    documents: read,
    config: { importExtension: config.importExtension, ...config.generates[folder].config },
    presetConfig: config.generates[folder].presetConfig,
    plugins: [],
    pluginMap: {},
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(file.filename, await codegen(file));
}
