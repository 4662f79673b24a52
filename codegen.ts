import type { Types } from '@graphql-codegen/plugin-helpers';

/** Types of the documents that stand in graphql(`…`) calls of the client's tests. Run by scripts/codegen.mjs. */
export default {
  schema: 'schema.graphql',
  documents: ['test/client/**/*.ts'],
  importExtension: '.ts',
  generates: {
    'src/generated/client/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          Cursor: 'string',
          ChangeCursor: 'string',
          DateTime: 'string',
          EncryptionChecksum: 'string',
          JSON: 'unknown',
          LocalDate: 'string',
          LocalDateTime: 'string',
          SafeInt: 'number',
          Timestamp: 'number',
          URL: 'string',
          UUID: 'string',
          Upload: 'File',
        },
      },
    },
  },
} satisfies Types.Config;
