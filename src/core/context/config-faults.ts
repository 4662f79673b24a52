import type { z } from 'zod';

/** What is wrong with a variable, in a line: its name, what was expected, what it held. */
export function explainFault(
  issue: z.core.$ZodIssue,
  env: Record<string, string | undefined>,
): string {
  const [name] = issue.path;
  return `${String(name)}: ${describe(issue)} (is ${JSON.stringify(shown(name, env))})`;
}

/** What a faulty variable held; one that may hold a password, as a URL may, is not repeated. */
function shown(
  name: PropertyKey | undefined,
  env: Record<string, string | undefined>,
): string | undefined {
  const held = env[String(name)];
  return /^DATABASE_.*URL$|^STORAGE$/.test(String(name)) || held?.includes('@') ? '…' : held;
}

/** What was expected of a variable. */
function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return 'expected a whole number';
  if (issue.code === 'invalid_format' || issue.code === 'custom')
    return `expected ${issue.message}`;
  return issue.message.replace(/^[A-Z][a-z ]+: /, '').replaceAll('"|"', '", "');
}
