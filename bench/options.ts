import { parseArgs } from 'node:util';
import { Refusal } from './data/load.ts';

export const contenderNames = [
  'floor',
  'floortext',
  'postgraphile',
  'mercurius',
  'mercuriustuned',
  'rest',
  'graphql',
] as const;
export type ContenderName = (typeof contenderNames)[number] | 'beforerest' | 'beforegraphql';

export interface Options {
  url: string;
  /** Feeds in the database. */
  rows: number;
  quick: boolean;
  contenders: ContenderName[];
  /** Another checkout of Trivium, built, that takes turns with this one. */
  before: string | undefined;
  /** Page sizes. */
  sizes: number[];
  rounds: number;
  /** Of one contender in one round. */
  seconds: number;
  /** Before the first page size; a quarter of it before each other one. After four seconds Node 24 has not yet compiled all that is hot. */
  warmUpSeconds: number;
  /** What is measured besides the pages. */
  further: boolean;
  /** Only the mixed load. */
  mixed: boolean;
}

export const USAGE = `npm run bench -- [options]     compares Trivium with a hand-written server and with its peers, in DATABASE_URL (an empty database, or one of the benchmark)

  --quick             10^5 feeds instead of 10^6, shorter rounds, no further measurements
  --only a,b          contenders, of ${contenderNames.join(', ')}; no further measurements
  --before folder     another checkout in which \`npm run build\` ran, in turn with this one
  --sizes 20,100      page sizes
  --rounds n          rounds of each page size
  --seconds n         of one contender in one round
  --pages             no further measurements
  --further           the further measurements alone
  --mixed             the mixed load of a store alone, on a copy of the database
  --help`;

/** Reads the command line and the environment. Throws Refusal. */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Options | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      before: { type: 'string' },
      sizes: { type: 'string', default: '20,100' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      pages: { type: 'boolean', default: false },
      further: { type: 'boolean', default: false },
      mixed: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const url = env['DATABASE_URL'];
  if (!url)
    throw new Refusal(
      'DATABASE_URL must name a PostgreSQL database for the benchmark alone: an empty one, or one that it loaded before.',
    );
  const { quick } = values;
  const standard = contenderNames.filter((name) => name !== 'floortext');
  const wanted = values.only?.split(',').map((name) => name.trim());
  const unknown = wanted?.filter((name) => !contenderNames.some((known) => known === name)) ?? [];
  if (unknown.length > 0)
    throw new Refusal(
      `No such contender: ${unknown.join(', ')}. There are ${contenderNames.join(', ')}.`,
    );
  return {
    url,
    rows: quick ? 100_000 : 1_000_000,
    quick,
    contenders: wanted
      ? contenderNames.filter((name) => wanted.includes(name))
      : values.further
        ? []
        : [...standard],
    before: values.before,
    sizes: values.sizes.split(',').map((size) => positive('sizes', size)),
    rounds: positive('rounds', values.rounds ?? (quick ? '3' : '12')),
    seconds: positive('seconds', values.seconds ?? (quick ? '0.5' : '1')),
    warmUpSeconds: quick ? 3 : 12,
    mixed: values.mixed,
    further: values.further || (!quick && !wanted && !values.pages),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Refusal(`--${name} must be a positive number.`);
  return value;
}
