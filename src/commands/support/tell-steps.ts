import { createLog, type Log } from '../../core/log.ts';

/** How often it is told that a migration still runs, in milliseconds. */
const EVERY = 10_000;

/** Tells a person what migrations do, on stderr unless told. */
export interface TellsSteps {
  /** To be given to whoever migrates. */
  log: Log;
  stop: () => void;
}

interface Line {
  step?: string;
  migrations?: string[];
  batches?: number;
  msg: string;
}

/** Prints each step that begins and ends, and every ten seconds which one is under way, and since when. */
export function tellSteps(
  write: (text: string) => void = (text) => void process.stderr.write(text),
): TellsSteps {
  let began = Date.now();
  let doing = 'the migration';
  const since = (): string => `${Math.round((Date.now() - began) / 1_000)} s`;
  const timer = setInterval(() => write(`${doing}: under way for ${since()}\n`), EVERY);
  timer.unref();
  const tell = ({ step, migrations, batches = 0, msg }: Line): void => {
    if (migrations) write(`${msg}: ${migrations.join(', ')}\n`);
    if (step === undefined) return;
    const done = batches > 0 ? `, ${batches} batches` : '';
    if (msg.endsWith('begun')) {
      began = Date.now();
      write(`${step}: begun${done}\n`);
    } else if (msg.endsWith('done')) write(`${step}: done after ${since()}${done}\n`);
    if (msg.endsWith('done')) [doing, began] = ['the migration', Date.now()];
    else doing = `${step}${done}`;
  };
  return {
    log: createLog('info', { write: (line) => tell(JSON.parse(line) as Line) }),
    stop: () => clearInterval(timer),
  };
}
