import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './errors.ts';

/** A process, as it identified itself in a file. */
export interface RunningProcess {
  pid: number;
  /** Start time of the process, where the system provides it (Linux), so that a reused pid is not mistaken for it. */
  startedAt: string;
  /** See ownPlace; empty in files of older versions. */
  place: string;
}

/** Is the process of this place still running? */
export function isAlive({ pid, startedAt }: Omit<RunningProcess, 'place'>): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  let isOthers = false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    isOthers = codeOf(error) === 'EPERM';
    if (!isOthers) return false;
  }
  const found = readStat(pid);
  if (found === 'unreadable') return true;
  // A system may hide the processes of other users.
  if (!found) return isOthers || startedAt === '';
  return !found.isOver && (startedAt === '' || found.startedAt === startedAt);
}

/** A line that identifies this process in a file. */
export const thisProcess = (): string =>
  `${process.pid} ${processStart(process.pid)} ${ownPlace()}\n`;

/** The process that identified itself in a file; undefined when there is no such file. */
export function readProcess(file: string): RunningProcess | undefined {
  try {
    const [pid = '', startedAt = '', place = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return { pid: Number(pid), startedAt, place };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** When a process started: ticks since boot; empty where there is no /proc. */
export function processStart(pid: number): string {
  const found = readStat(pid);
  return typeof found === 'object' ? found.startedAt : '';
}

/**
 * What /proc/<pid>/stat says: fields 3, 20 and 22. A process is over once all its threads have ended, also while nobody
 * asks how it ended, which few programs do that are the first process of a container. It is `unreadable` while too many
 * files are open.
 */
function readStat(pid: number): { startedAt: string; isOver: boolean } | 'unreadable' | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, startedAt = ''] = [fields[0], fields[17], fields[19]];
    return { startedAt, isOver: state === 'Z' && Number(threads) <= 1 };
  } catch (error) {
    return /^E[MN]FILE$/.test(codeOf(error) ?? '') ? 'unreadable' : undefined;
  }
}

/**
 * Where a process number identifies the same process: the machine since its boot, and on Linux the container. Found out
 * once: a machine may get another name, and files can't be read while too many are open.
 */
export const ownPlace = (): string => (place ??= findPlace());
let place: string | undefined;

function findPlace(): string {
  const parts = [
    hostname(),
    orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orNothing(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return hash('sha256', parts.join('\n')).slice(0, 16);
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
