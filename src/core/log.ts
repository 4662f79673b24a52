import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

/**
 * The JSON logger: one line per event on stdout, with an ISO time. Callers never pass values of parameters, tokens or
 * passwords.
 */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return stream ? pino(options, stream) : pino(options);
}

/** The log of a gateway: JSON, but in a terminal, outside production, lines that people read. */
export async function openLog(
  { logLevel, production }: { logLevel: string; production: boolean },
  out: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout,
): Promise<Log> {
  if (production || out.isTTY !== true) return createLog(logLevel);
  const { default: pretty } = await import('pino-pretty');
  return createLog(logLevel, pretty({ destination: out, translateTime: 'SYS:HH:MM:ss.l' }));
}
