import { readFileSync, writeFileSync } from 'node:fs';
import { printSchema } from 'graphql';
import { schema } from '../src/server/graphql/schema/schema.ts';

// Writes schema.graphql; with --check only compares, for CI.
const sdl = `${printSchema(schema)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync('schema.graphql', sdl);
} else if (readFileSync('schema.graphql', 'utf8') !== sdl) {
  console.error('schema.graphql is out of date: npm run schema');
  process.exit(1);
} else {
  console.log('schema.graphql is current');
}
