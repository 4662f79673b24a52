import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');

/** Of a document, without its blocks of code. */
const textOf = (path: string): string =>
  readFileSync(path, 'utf8').replace(/^ *```.*?^ *```$/gms, '');

/** As GitHub makes them of headings. */
function anchorsOf(path: string): string[] {
  const seen = new Map<string, number>();
  return [...textOf(path).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const name = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}

it('every link in the documents leads to a file that is there, and to a heading that it has', () => {
  expect(documents.length).toBeGreaterThan(10);
  const dead: string[] = [];
  for (const document of documents) {
    const path = join(root, document);
    for (const [, target = ''] of textOf(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : join(dirname(path), decodeURIComponent(file));
      if (!existsSync(found) || (anchor !== undefined && !anchorsOf(found).includes(anchor)))
        dead.push(`${document}: ${target}`);
    }
  }
  expect(dead).toEqual([]);
});

it('every mark of a decision or rule that code, tests and documents cite is in docs/decisions.md', () => {
  const list = textOf(join(root, 'docs/decisions.md'));
  const files = execFileSync('git', ['ls-files', 'src', 'test', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  const unknown: string[] = [];
  for (const file of files.trim().split('\n')) {
    if (!/\.(ts|md)$/.test(file)) continue;
    for (const [mark] of readFileSync(join(root, file), 'utf8').matchAll(/\b(?:D-|F\d)\d\d\b/g))
      if (!list.includes(`| ${mark} |`)) unknown.push(`${file}: ${mark}`);
  }
  expect(unknown).toEqual([]);
});
