import type { IncomingMessage } from 'node:http';
import type { Config } from '../../core/context/config.ts';

/** PUBLIC_URL where it is set; else what the client itself asked for, which parseTarget found harmless. */
export function baseUrlOf({ publicUrl, basePath }: Config, request: IncomingMessage): string {
  return publicUrl ?? `http://${request.headers.host ?? 'localhost'}${basePath}`;
}
