import { hash, timingSafeEqual } from 'node:crypto';

/** Compares the checksum of a key with a given one in a time that tells nothing of either. */
export function isSameChecksum(stored: string, given: string): boolean {
  return timingSafeEqual(hash('sha256', stored, 'buffer'), hash('sha256', given, 'buffer'));
}
