import type * as z from 'zod';
import type { RecordKind } from '../core/records/record-kind.ts';
import type { Problem } from './import-error.ts';
import { recordKinds } from './kinds.ts';

const kindsByName = new Map(recordKinds.map((kind) => [kind.name, kind]));

export type ParsedRecord =
  { kind: RecordKind; value: unknown } | { problems: Omit<Problem, 'line'>[] };

/** Reads one line as a record of a known kind; the kind is `feed` when the line names none. */
export function parseRecord(text: string): ParsedRecord {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return fault('', `is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return fault('', 'is not a JSON object');
  const name = 'record' in json ? json.record : 'feed';
  const kind = typeof name === 'string' ? kindsByName.get(name) : undefined;
  if (!kind) return fault('record', `must be one of ${[...kindsByName.keys()].join(', ')}`);
  const parsed = kind.schema.safeParse(json);
  if (parsed.success) return { kind, value: parsed.data };
  return { problems: parsed.error.issues.flatMap(describe) };
}

function fault(field: string, reason: string): ParsedRecord {
  return { problems: [{ field, reason }] };
}

function describe(issue: z.core.$ZodIssue): Omit<Problem, 'line'>[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: pathOf([...issue.path, key]),
      reason: 'unknown field',
    }));
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [
    {
      field: pathOf(issue.path),
      reason: missing ? 'is required' : issue.message.replace(/^Invalid input: /, ''),
    },
  ];
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number'
        ? `${text}[${key}]`
        : text === ''
          ? String(key)
          : `${text}.${String(key)}`,
    '',
  );
}
