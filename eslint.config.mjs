import graphql from '@graphql-eslint/eslint-plugin';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'src/generated',
      'dist',
      '.build',
      'node_modules',
      'bench/node_modules',
      'test/clients/node_modules',
      '**/__generated__',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({
    ...config,
    files: ['**/*.{ts,mjs,js}'],
  })),
  {
    files: ['**/*.{ts,mjs,js}'],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', 'scripts/*.mjs', 'bin/*.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ImportDeclaration[source.value="zod"] > ImportSpecifier',
          message: 'Import * as z: only what is used then goes into the compiled files.',
        },
        {
          selector:
            'ChainExpression > CallExpression > :matches(AssignmentExpression, UpdateExpression, AwaitExpression).arguments',
          message: 'Where the called thing is missing, the argument is never evaluated.',
        },
        {
          selector: 'AssignmentExpression[left.property.name="callback"][right.type=/Function/]',
          message:
            'Give the function a name first: V8 makes one that is written here in its old space, where it keeps all that it reaches until the next full garbage collection.',
        },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'max-lines': ['error', 250],
      'max-params': ['error', 4],
      // One text of a client must not keep the event loop for seconds.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // Tests and benchmarks read answers as clients do: untyped.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  // Its packages are installed for its tests alone; without them, their types are any.
  {
    files: ['test/clients/**/*.ts'],
    rules: { '@typescript-eslint/no-unnecessary-type-assertion': 'off' },
  },
  {
    files: ['schema.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      // Lists of plain values and of types that nobody pages through are no connections.
      '@graphql-eslint/relay-edge-types': [
        'error',
        // Sessions are no nodes; test/schema/edges.test.ts asks it of all others.
        { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
      ],
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          DirectiveDefinition: true,
        },
      ],
      // Feed's names are those of the documents (feed_key, feed_title …); payloads, connections and values have no id.
      '@graphql-eslint/no-typename-prefix': 'off',
      '@graphql-eslint/strict-id-in-types': 'off',
    },
  },
  { files: ['**/*.mjs', '**/*.js'], ...tseslint.configs.disableTypeChecked },
);
