import { randomUUID } from 'node:crypto';
import { isAlive, ownPlace, processStart } from '../running-process.ts';

/** What the names of files begin with that this process makes. */
export const ownPrefix = (): string => `${ownPlace()}.${process.pid}.${processStart(process.pid)}.`;

/** A new name of a file that says which process makes it, so that others can check whether that is still alive. */
export const ownedName = (): string => `${ownPrefix()}${randomUUID()}`;

const NAME = /^([0-9a-f]{16})\.(\d+)\.(\d*)\.[0-9a-f-]{36}$/;

/**
 * Whether the process that made a file is gone. Where that can't be asked, what `elsewhere` says: the process is in
 * another container or on another machine. Undefined where the name tells no process.
 */
export function isOwnerGone(name: string, elsewhere: () => boolean): boolean | undefined {
  const [, place, pid, startedAt = ''] = NAME.exec(name) ?? [];
  if (place === undefined) return undefined;
  if (place !== ownPlace()) return elsewhere();
  return !isAlive({ pid: Number(pid), startedAt });
}
