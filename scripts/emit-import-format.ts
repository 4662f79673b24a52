import { readFileSync, writeFileSync } from 'node:fs';
import { importJsonSchema } from '../src/import/import-json-schema.ts';

// usage: node --import tsx scripts/emit-import-format.ts [--check]
const file = new URL('../docs/import-format.schema.json', import.meta.url);
const text = `${JSON.stringify(importJsonSchema(), null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error(
    'docs/import-format.schema.json is not current: run node --import tsx scripts/emit-import-format.ts',
  );
  process.exitCode = 1;
}
