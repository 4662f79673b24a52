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
export function isAlive(holder: Omit<RunningProcess, 'place'>): boolean {
  if (!Number.isInteger(holder.pid) || holder.pid <= 0) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  return holder.startedAt === '' || processStart(holder.pid) === holder.startedAt;
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

/** Field 22 of /proc/<pid>/stat: ticks since boot; empty where there is no /proc. */
export function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
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
