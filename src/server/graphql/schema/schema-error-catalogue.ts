import { errorCatalogue } from '../../../core/error-catalogue.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const entries = Object.entries(errorCatalogue).map(([code, row]) => ({ code, ...row }));

const ErrorCatalogueEntry = builder
  .objectRef<(typeof entries)[number]>('ErrorCatalogueEntry')
  .implement({
    description: 'A failure that clients are told of by a code, as each API names it.',
    fields: (t) => ({
      legacyCode: t.exposeString('code', {
        description: 'Its code in REST and in extensions.legacyCode, such as E147.',
      }),
      httpStatus: t.exposeInt('status', { description: 'Usual HTTP status of the REST reply.' }),
      code: t.exposeString('graphql', {
        description: 'Usual code in extensions.code, such as BAD_USER_INPUT.',
      }),
      message: t.exposeString('message', {
        description: 'Usual message, in English, for people.',
      }),
    }),
  });

builder.queryField('errorCatalogue', (t) =>
  t.field({
    type: [ErrorCatalogueEntry],
    extensions: costs({ rows: entries.length }),
    description:
      'The error codes of the task execution API, and those that all paths share; no session is needed. Other paths have codes of their own: see /docs and the types of errors.',
    resolve: () => entries,
  }),
);
