/** Files of src that hold SQL and are no *.sql.ts files: each is removed when it is converted. */
export const unconverted: readonly string[] = [
  'core/lists/pages-below.ts',
  'core/lists/read-list.ts',
];
