import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobNames, jobs } from '../../src/server/background.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { startApp, type TestApp } from '../support/app.ts';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const expressions = [...readFileSync(`${folder}alerts.yml`, 'utf8').matchAll(/expr: (.*)/g)].map(
  ([, expression]) => expression ?? '',
);
/** `name{label="value"}` of an expression, or one for each of `label=~"value|value"`; only the metrics of the gateway. */
const selectors = expressions.flatMap((expression) =>
  [...expression.matchAll(/(trivium_\w+)(?:\{([^}]*)\})?/g)].flatMap(
    ([text, name = '', labels = '']) => {
      const [, label = '', values = ''] = /^(\w+)=~"(.*)"$/.exec(labels) ?? [];
      const each = values === '' ? [labels] : values.split('|').map((one) => `${label}="${one}"`);
      return each.map((one) => ({ text, name, labels: one.split(',').filter((it) => it !== '') }));
    },
  ),
);

let app: TestApp;
let metricsUrl = '';
beforeAll(async () => {
  app = await startApp({
    env: { METRICS_PORT: '0' },
    onGateway: (gateway) => (metricsUrl = gateway.metricsUrl ?? ''),
  });
});
afterAll(() => app.close());

it('every series that an alarm looks at is there from the start, and counters begin at 0', async () => {
  const lines = (await (await fetch(metricsUrl)).text()).split('\n');
  const samples = (name: string, ...labels: string[]): string[] =>
    lines.filter(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
        labels.every((label) => line.includes(label)),
    );
  expect(selectors.length).toBeGreaterThan(10);
  for (const { text, name, labels } of selectors) {
    // A gateway without a replica says nothing of one, and durations are counted once there was a request.
    if (name === 'trivium_replica_lag_seconds' || name.endsWith('_bucket')) continue;
    expect(samples(name, ...labels).length, text).toBeGreaterThan(0);
  }
  const ofOperation = (operation: string, path: string): string[] =>
    samples(
      'trivium_requests_total',
      `operation="${operation}"`,
      `path="${path}"`,
      'outcome="failed"',
    );
  for (const { operation, path, failsAsNoData } of routes) {
    expect(ofOperation(operation, path), path).toEqual([expect.stringMatching(/ 0$/)]);
    if (failsAsNoData)
      expect(samples('trivium_degraded_answers_total', `"${operation}"`)).toHaveLength(1);
  }
  for (const operation of [
    'query viewer.feeds',
    'mutation signIn',
    'subscription exportJobChanged',
  ])
    expect(ofOperation(operation, ''), operation).toHaveLength(2);
  for (const name of jobNames)
    expect(samples('trivium_job_failures_total', `"${name}"`)).toEqual([
      expect.stringMatching(/ 0$/),
    ]);
  for (const action of ['stage', 'put', 'get', 'stat', 'delete'])
    expect(
      samples('trivium_storage_calls_total', `action="${action}"`, 'outcome="failed"'),
    ).toEqual([expect.stringMatching(/ 0$/)]);
});

it('a job that fails rings, however rarely it runs, and docs/operations.md says what that costs', () => {
  const rule = expressions.find((expression) => expression.includes('job_failures')) ?? '';
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const row = /^\| `TriviumJobFailing` .*/m.exec(page)?.[0] ?? '';
  for (const { name, every } of jobs) {
    // More than three failures in a quarter of an hour can only be had of what runs that often.
    if (every > 180_000) expect(rule).toMatch(new RegExp(`["|]${name}["|]`));
    expect(row).toContain(`\`${name}\``);
  }
});

if (!isThere('promtool')) console.log('not run: the tests of the alarms, for want of promtool');
else
  it('the alarms ring when they shall, and only then', () => {
    const run = (...args: string[]): string =>
      execFileSync('promtool', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    expect(run('check', 'rules', 'alerts.yml')).toContain(`${expressions.length} rules found`);
    expect(run('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
