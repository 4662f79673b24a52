import type { UnusableImageError } from '../core/context/imaging.ts';
import { type ImageReader } from '../core/context/imaging.ts';

/** A request to the process. */
export interface ImageJob {
  id: number;
  task: keyof ImageReader;
  path: string;
}

/** A reply of the process; the first one is `ready`, once it can take jobs. */
export type ImageReply =
  | 'ready'
  | { id: number; value: unknown }
  | { id: number; refused: { code: UnusableImageError['code']; message: string } }
  | { id: number; failed: string };

/**
 * Validates each message: an image may have taken control of the process, and nothing that it sends may crash the
 * gateway.
 */
export function isReply(message: unknown): message is ImageReply {
  return (
    message === 'ready' ||
    (typeof message === 'object' &&
      message !== null &&
      'id' in message &&
      ('value' in message || 'refused' in message || 'failed' in message))
  );
}
