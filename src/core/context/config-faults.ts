import type * as z from 'zod';

/** Describes a faulty variable in one line: its name, what was expected, what it contained. */
export function explainFault(
  issue: z.core.$ZodIssue,
  env: Record<string, string | undefined>,
): string {
  const [name] = issue.path;
  return `${String(name)}: ${describe(issue)} (is ${JSON.stringify(shown(name, env))})`;
}

/** The value of a faulty variable; left out if it may contain a password, as a URL may. */
function shown(
  name: PropertyKey | undefined,
  env: Record<string, string | undefined>,
): string | undefined {
  const held = env[String(name)];
  return /^DATABASE_.*URL$|^STORAGE$/.test(String(name)) || /[@?]/.test(held ?? '') ? '…' : held;
}

/** The value that was expected. */
function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return 'expected a whole number';
  if (issue.code === 'invalid_format' || issue.code === 'custom')
    return `expected ${issue.message}`;
  return issue.message.replace(/^[A-Z][a-z ]+: /, '').replaceAll('"|"', '", "');
}
