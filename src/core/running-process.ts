import { readFileSync } from 'node:fs';

/** A process of this machine, as it identified itself in a file. */
export interface RunningProcess {
  pid: number;
  /** Start time of the process, where the system provides it (Linux), so that a reused pid is not mistaken for it. */
  startedAt: string;
}

/** Is the process still running? */
export function isAlive(holder: RunningProcess): boolean {
  if (!Number.isInteger(holder.pid) || holder.pid <= 0) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return holder.startedAt === '' || processStart(holder.pid) === holder.startedAt;
}

/** A line that identifies this process in a file. */
export const thisProcess = (): string => `${process.pid} ${processStart(process.pid)}\n`;

/** The process that identified itself in a file; undefined when there is no such file. */
export function readProcess(file: string): RunningProcess | undefined {
  try {
    const [pid = '', startedAt = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return { pid: Number(pid), startedAt };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
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
