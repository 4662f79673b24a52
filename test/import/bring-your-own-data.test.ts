import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openImportBench } from './import-bench.ts';

const items = [
  {
    id: '00000000a001',
    project: 'atlas',
    title: 'feat: 100% "quoted" 🎉 (#7)',
    kind: 'feat',
    opened_at: '2026-03-29T01:59:59+01:00',
    closed_at: '2026-03-29T03:00:01+02:00',
    person: 1,
    refs: [7],
  },
  {
    id: '00000000a002',
    project: 'atlas',
    title: 'x'.repeat(1059),
    kind: 'other',
    opened_at: '2026-01-01T00:00:00-08:00',
    closed_at: '2026-01-02T00:00:00-08:00',
    person: 2,
    refs: [],
  },
  {
    id: '00000000a003',
    project: 'bolt',
    title: 'fix: it’s',
    kind: 'fix',
    opened_at: '2026-01-01T00:00:00Z',
    closed_at: '2026-01-02T00:00:00Z',
    person: 1,
    refs: [1, 2],
  },
];

test('the command of docs/bring-your-own-data.md turns items into tasks of their projects that `me` sees', async () => {
  const guide = readFileSync(new URL('../../docs/bring-your-own-data.md', import.meta.url), 'utf8');
  const command = /```sh\n(node [\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'trivium-'));
  const bench = await openImportBench();
  try {
    writeFileSync(
      join(folder, 'work-items.ndjson'),
      items.map((item) => `${JSON.stringify(item)}\n`).join(''),
    );
    execFileSync('sh', ['-c', command], { cwd: folder });
    const records = readFileSync(join(folder, 'work.ndjson'), 'utf8');
    expect(await bench.load(records)).toEqual({ domain: 1, unit: 1, dept: 1, user: 3, feed: 5 });
    const seen = await bench.db.rows(
      `SELECT f.feed_key, p.title, f.start_at AT TIME ZONE 'UTC', o.login FROM feed_listing l JOIN feed f USING (feed_key) JOIN feed p ON p.feed_key = f.parent_feed_key
       JOIN "user" o ON o.id = f.owner_user_id WHERE l.list = 21 AND l.subject_id = (SELECT dept_id FROM user_dept JOIN "user" u ON u.id = user_id WHERE u.login = 'me') ORDER BY 1`,
      [],
    );
    expect(seen).toEqual([
      ['40961', 'atlas', '2026-03-29 00:59:59', 'person-1'],
      ['40962', 'atlas', '2026-01-01 08:00:00', 'person-2'],
      ['40963', 'bolt', '2026-01-01 00:00:00', 'person-1'],
    ]);
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true });
  }
});
