import { readFileSync } from 'node:fs';
import type { PossibleTypesMap } from '@apollo/client';
import { buildSchema, isAbstractType } from 'graphql';

/** The members of each union and interface. At build time: write them into a JSON file. */
export function findPossibleTypes(file: string): PossibleTypesMap {
  const schema = buildSchema(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter(isAbstractType)
      .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
}
