import { pino, type DestinationStream, type Logger } from 'pino';
import { LogOutput } from './log-output.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

/**
 * The JSON logger: one line per event on stdout, with an ISO time. Callers never pass values of parameters, tokens or
 * passwords. Where stdout can't be written, lines are lost; stderr says so once, and the next line that is written is followed by
 * their number.
 */
export function createLog(level: string, stream?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (stream) return pino(options, stream);
  const output = new LogOutput(1, {
    lost: (reason) =>
      process.stderr.write(`the log can't be written: ${reason}; lines are lost until it can\n`),
    writable: (lines) => log.warn({ lines }, 'lines of the log were lost'),
  });
  const log = pino(options, output);
  if (level !== 'silent') process.once('exit', () => output.end());
  return log;
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
