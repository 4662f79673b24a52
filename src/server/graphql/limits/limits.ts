/** Limits of documents and their variables (D-80). */
export const limits = {
  characters: 50_000,
  tokens: 1_000,
  depth: 12,
  operations: 30,
  'root fields': 30,
  fields: 400,
  aliases: 50,
  'aliases of introspection': 3,
  directives: 50,
  fragments: 30,
  'inline fragments': 50,
  variables: 100,
  variableDepth: 50,
  listItems: 1_000,
  cost: 5_000,
} as const;
