import { readFileSync } from 'node:fs';

/** How many files the process may have open, sockets included. Only Linux tells; elsewhere Infinity. */
export function fileLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
