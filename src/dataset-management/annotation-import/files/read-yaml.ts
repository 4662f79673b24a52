import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { FileFault } from './file-fault.ts';

/** What `data.yaml` says of a YOLO dataset. */
export interface DataYaml {
  /** Names of the classes by their numbers; undefined if it names none. */
  names: Map<number, string> | undefined;
  /** How many points each row has, and how many numbers each point: 2, or 3 with its visibility. */
  points: { count: number; numbers: number } | undefined;
}

/**
 * Reads `names`, a list or by number, and `kpt_shape` of a `data.yaml`. Takes time in proportion to the text, whatever is in
 * it. Throws FileFault for what is no YAML, and for another form.
 */
export function readDataYaml(text: string): DataYaml {
  const members = new Map(entriesOf(parse(text)));
  return { names: namesOf(members.get('names')), points: pointsOf(members.get('kpt_shape')) };
}

/** All scalars as text: a class may be called `yes` or `007`. */
function parse(text: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // It has no mark where a second document follows.
    const mark: Partial<YAMLException>['mark'] = error.mark;
    const place = mark ? `line ${mark.line + 1}: ` : '';
    throw new FileFault(`is no YAML: ${place}${error.reason.slice(0, 200)}`);
  }
}

function namesOf(given: unknown): DataYaml['names'] {
  if (given === undefined) return undefined;
  const fault = new FileFault('has names in a form that is not read');
  if (typeof given === 'string') throw fault;
  const names = new Map<number, string>();
  for (const [key, name] of entriesOf(given)) {
    if (!/^\d{1,6}$/.test(key) || typeof name !== 'string') throw fault;
    names.set(Number(key), name);
  }
  return names;
}

function pointsOf(given: unknown): DataYaml['points'] {
  if (given === undefined) return undefined;
  const [count, numbers, ...others]: unknown[] = Array.isArray(given) ? (given as unknown[]) : [];
  const isShape = /^\d{1,4}$/.test(String(count)) && (numbers === '2' || numbers === '3');
  if (!isShape || others.length > 0)
    throw new FileFault('has a kpt_shape that is not [count, 2] or [count, 3]');
  return { count: Number(count), numbers: Number(numbers) };
}

/** The members of a map, or of a list by their places; none of anything else. */
function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
