import type { ImageReader, UnusableImageError } from '../core/context/imaging.ts';
import { isRecord } from '../core/json-values.ts';

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
  if (!isRecord(message)) return message === 'ready';
  if (typeof message['id'] !== 'number') return false;
  if ('value' in message) return true;
  return 'refused' in message
    ? isRefusal(message['refused'])
    : typeof message['failed'] === 'string';
}

function isRefusal(refused: unknown): boolean {
  return (
    isRecord(refused) &&
    (refused['code'] === 'UNSUPPORTED_IMAGE_TYPE' || refused['code'] === 'INVALID_IMAGE') &&
    typeof refused['message'] === 'string'
  );
}
