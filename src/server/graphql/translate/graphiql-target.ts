import type { Config } from '../../../core/context/config.ts';
import { MAX_TARGET } from '../../http/parse-target.ts';

/**
 * The path that opens GraphiQL with an operation. GraphiQL only reads `query`, so variables are given as
 * defaults. Null if GraphiQL is off, or the URL would be too long.
 */
export function graphiqlTarget(
  { graphiql, basePath }: Pick<Config, 'graphiql' | 'basePath'>,
  standalone: string | null,
): string | null {
  if (!graphiql || standalone === null) return null;
  const target = `${basePath}/graphql?query=${encodeURIComponent(standalone)}`;
  return target.length > MAX_TARGET ? null : target;
}
