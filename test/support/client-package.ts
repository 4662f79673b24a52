import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The package @trivium/client, packed and installed as somebody else's project gets it. */
export interface InstalledClient {
  /** Folder of the project. */
  folder: string;
  tarball: string;
  remove(): Promise<void>;
}

/** Packs the client, and installs it in a project of its own, without network. */
export async function installClient(): Promise<InstalledClient> {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-client-'));
  const { stdout } = await run('npm', ['run', '-s', 'pack:client', '--', folder]);
  const tarball = join(folder, stdout.trim());
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return { folder, tarball, remove: () => rm(folder, { recursive: true, force: true }) };
}
