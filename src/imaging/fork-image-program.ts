import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { OwnProgram } from '../core/own-program.ts';
import type { ImageReaderOptions } from './create-image-reader.ts';

/**
 * The environment variables that the process inherits: what programs need to start, and none of the gateway's
 * configuration.
 */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'SYSTEMROOT',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'MALLOC_ARENA_MAX',
];

/** Starts the program that reads images, at a low priority. */
export function forkImageProgram(program: OwnProgram, options: ImageReaderOptions): ChildProcess {
  const env = Object.fromEntries(
    INHERITED.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const child = fork(program.file, [...program.args, JSON.stringify(options)], {
    // A thread for each image that is decoded, and one for each whose header is read.
    env: { ...env, UV_THREADPOOL_SIZE: String(Math.max(4, 2 * options.parallel)) },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  lowerPriority(child);
  return child;
}

/**
 * Set at once, because threads inherit it: requests and the database have priority. Skipped where the system has no
 * priorities or forbids setting them.
 */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    /* Forbidden; or it has ended already, which `exit` tells. */
  }
}
