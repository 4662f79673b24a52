import { readFileSync } from 'node:fs';
import { getIntrospectedSchema, minifyIntrospectionQuery } from '@urql/introspection';
import type { IntrospectionQuery } from 'graphql';

/** What Graphcache has to know of the schema. At build time: write it into a JSON file. */
export function introspectSchema(file: string): IntrospectionQuery {
  return minifyIntrospectionQuery(getIntrospectedSchema(readFileSync(file, 'utf8')));
}
