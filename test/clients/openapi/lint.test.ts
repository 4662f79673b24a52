import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp } from '../../support/app.ts';

const folder = join(import.meta.dirname, '..');
let source: string;
beforeAll(async () => {
  const app = await startApp();
  source = (await app.rest('/openapi.json')).text;
  await app.close();
});

let scratch: string | undefined;
afterAll(async () => {
  if (scratch !== undefined) await rm(scratch, { recursive: true });
});

/** What Spectral finds, with the recommended rules but those that spectral.yaml switches off. */
async function findBySpectral(document: string): Promise<unknown[]> {
  scratch ??= await mkdtemp(join(tmpdir(), 'trivium-openapi-'));
  const file = join(scratch, 'openapi.json');
  await writeFile(file, document);
  const { stdout } = await promisify(execFile)(
    join(folder, 'node_modules/.bin/spectral'),
    ['lint', '--quiet', '-f', 'json', '-r', join(import.meta.dirname, 'spectral.yaml'), file],
    { maxBuffer: 50_000_000, timeout: 120_000 },
  ).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return (JSON.parse(stdout) as { code: string; path: string[]; message: string }[]).map(
    ({ code, path, message }) => `${code} ${path.join('.')}: ${message}`,
  );
}

async function findByRedocly(document: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: document, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

it.each([
  ['Spectral', findBySpectral],
  ['Redocly', findByRedocly],
])(
  '%s finds nothing in /openapi.json, and would find what is wrong',
  async (_, find) => {
    expect(await find(source)).toEqual([]);
    expect(await find(source.replaceAll('#/components/schemas/Feed"', '#/none"'))).not.toEqual([]);
  },
  240_000,
);
