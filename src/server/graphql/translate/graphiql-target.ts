import type { Config } from '../../../core/context/config.ts';

/** Longest target that the gateway takes. */
const MAX_TARGET = 8_000;

/** GraphiQL with an operation, below the host: yoga's reads `query` only, so the variables are there as defaults. Null where GraphiQL is off, and for what is too long for a URL. */
export function graphiqlTarget(
  { production, basePath }: Pick<Config, 'production' | 'basePath'>,
  standalone: string | null,
): string | null {
  if (production || standalone === null) return null;
  const target = `${basePath}/graphql?query=${encodeURIComponent(standalone)}`;
  return target.length > MAX_TARGET ? null : target;
}
