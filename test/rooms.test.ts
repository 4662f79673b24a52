import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The rooms of the fast lane (docs/fast-lane.md), and the one file of each that others may import. */
const rooms = [
  ['core/wire', 'wire.ts'],
  ['core/json', 'json.ts'],
  ['task-execution/feeds/fast', 'fast-feeds.ts'],
  ['server/graphql/fast', 'fast-lane.ts'],
] as const;

const src = join(fileURLToPath(new URL('..', import.meta.url)), 'src');
const edges = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .flatMap((from) =>
    [
      ...readFileSync(join(src, from), 'utf8').matchAll(/(?:from |import\(|import )'(\.[^']+)'/g),
    ].map(([, to = '']) => ({ from, to: posix.join(dirname(from), to) })),
  );

it.each(rooms)('of %s only the entry %s is imported from outside', (room, entry) => {
  const inside = (path: string): boolean => path.startsWith(`${room}/`);
  const entering = edges.filter(({ from, to }) => inside(to) && !inside(from));
  expect(entering.length).toBeGreaterThan(0);
  expect(
    entering.filter(({ to }) => to !== `${room}/${entry}`).map(({ from, to }) => `${from} → ${to}`),
  ).toEqual([]);
});

it.each(rooms)(
  'in %s no file imports the entry %s, so that no two import each other',
  (room, entry) => {
    expect(
      edges.filter(({ from, to }) => to === `${room}/${entry}` && from.startsWith(`${room}/`)),
    ).toEqual([]);
  },
);
