import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

// Before each test file: its temporary files go to the folder of this run.
process.env['TMPDIR'] = inject('temporary');

// The processes that it starts load quick-start.cjs, and clean up young memory less often.
const option = `--max-semi-space-size=64 --require=${JSON.stringify(fileURLToPath(new URL('quick-start.cjs', import.meta.url)))}`;
const given = process.env['NODE_OPTIONS'] ?? '';
if (!given.includes(option)) process.env['NODE_OPTIONS'] = `${given} ${option}`.trim();
