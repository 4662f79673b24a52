// Compiles the gateway and the command line with what they import into a few files: loading some hundred files takes a start most of its time.
// usage: node scripts/bundle.mjs FOLDER
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Programs: what the package runs, and what it starts as a thread or a process of its own. */
const programs = ['main', 'cli', 'core/database/serve-pglite', 'imaging/read-images'];

/**
 * Stay packages: with binaries or files beside them, or so large and seldom used that they are better read when needed.
 * A CommonJS package that is imported when needed has to be among them: bundled, it would have no names but `default`.
 */
const external = [
  '@aws-sdk/*',
  '@electric-sql/pglite',
  '@graphql-yoga/render-graphiql',
  '@node-rs/argon2',
  '@opentelemetry/*',
  '@zxcvbn-ts/*',
  'pg-native',
  'sharp',
];

/**
 * Takes graphql as ES modules, for the CommonJS packages that need it, too: of its CommonJS files, each use of a function
 * would call a getter.
 */
const graphqlModules = {
  name: 'graphql-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^graphql(\/|$)/ }, ({ path }) => {
      const file = `${root}node_modules/${path.replace(/\.m?js$/, '')}`;
      return { path: existsSync(`${file}.mjs`) ? `${file}.mjs` : `${file}/index.mjs` };
    });
  },
};

export async function bundle(outdir) {
  const { build, stop } = await import('esbuild');
  await build({
    absWorkingDir: root,
    // All in one folder, where a program finds the others beside itself.
    entryPoints: programs.map((name) => ({
      in: `src/${name}.ts`,
      out: name.replace(/^.*\//, ''),
    })),
    outdir,
    external,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [graphqlModules],
    // For the packages that are CommonJS.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  // Its process would stay as long as the gateway.
  await stop();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? 'dist';
  rmSync(folder, { recursive: true, force: true });
  await bundle(folder);
}
