import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Package {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const read = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const lock: { packages: Record<string, Package> } = read('package-lock.json');
const { '': own, ...installed } = lock.packages;
const names = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies });

it('the lock file is that of package.json, whose versions are exact', () => {
  expect([own?.dependencies, own?.devDependencies]).toEqual([
    manifest.dependencies,
    manifest.devDependencies,
  ]);
  for (const [name, version] of names)
    expect([name, installed[`node_modules/${name}`]?.version]).toEqual([name, version]);
});

it('every package is pinned by a SHA-512, and none comes from a repository, a folder or an address of its own', () => {
  expect(Object.keys(installed).length).toBeGreaterThan(300);
  // Without `resolved` npm asks the registry that it is set to; the hash tells whether it got what was locked.
  const loose = Object.entries(installed).filter(
    ([path, { version, integrity, resolved, link }]) =>
      !path.includes('node_modules/') ||
      !/^\d+\.\d+\.\d+/.test(version ?? '') ||
      !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ||
      link === true ||
      (resolved !== undefined && !/^https:\/\/[^/]+\/.+\.tgz$/.test(resolved)),
  );
  expect(loose).toEqual([]);
  const ranges = Object.values(installed).flatMap(({ dependencies }) =>
    Object.values(dependencies ?? {}),
  );
  expect(
    ranges.filter((range) => /^(git|https?:|file:|github:|[\w-]+\/[\w-]+)/.test(range)),
  ).toEqual([]);
});

it('no package asks for a newer Node than the project does, about which an installation would warn', () => {
  const newer = Object.entries(installed).filter(([, { engines }]) => {
    const lowest = /^(?:>=|\^|~)?\s*(\d+)/.exec(engines?.node ?? '')?.[1];
    return lowest !== undefined && Number(lowest) > 20 && !engines?.node?.includes('||');
  });
  expect(newer.map(([path]) => path)).toEqual([]);
});

it('only the packages that package.json lists have scripts that run on installation, and none of them needs to', () => {
  const scripted = Object.entries(installed)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(scripted)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
  expect(Object.values(manifest.allowScripts)).toEqual(scripted.map(() => false));
});
