import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockFolder } from '../../src/core/database/folder-lock.ts';

/** Longer than until a lock is touched next. */
const TOUCHED = 6_000;

let folder: string;
let release: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'trivium-lock-'));
  release = lockFolder(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
  release();
  rmSync(folder, { recursive: true });
});

it('a lock that can’t be read for a while, as when too many files are open, ends nothing', () => {
  const [lock, aside] = [join(folder, 'lock'), join(folder, 'aside')];
  renameSync(lock, aside);
  mkdirSync(lock);
  vi.advanceTimersByTime(TOUCHED);
  rmSync(lock, { recursive: true });
  renameSync(aside, lock);
  vi.advanceTimersByTime(TOUCHED);
  release();
  expect(existsSync(lock)).toBe(false);
});

it('a lock stays that of its process when the machine gets another name', () => {
  vi.spyOn(os, 'hostname').mockReturnValue('renamed');
  syncBuiltinESMExports();
  vi.advanceTimersByTime(TOUCHED);
  release();
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});
