/** Which images an export holds (D-64). REST: All, Accepted, Annotated, ConfigOnly. */
export const exportFilters = ['ALL', 'ACCEPTED', 'ANNOTATED', 'CONFIG_ONLY'] as const;
export type ExportFilter = (typeof exportFilters)[number];

/** REST names by lower case. */
const names: ReadonlyMap<string, ExportFilter> = new Map([
  ['all', 'ALL'],
  ['accepted', 'ACCEPTED'],
  ['annotated', 'ANNOTATED'],
  ['configonly', 'CONFIG_ONLY'],
]);

/** `ExportFilterType` of the document, in any case; undefined for anything else. */
export function parseExportFilter(text: string): ExportFilter | undefined {
  return names.get(text.trim().toLowerCase());
}

/** As the document writes it. */
export function presentExportFilter(filter: ExportFilter): string {
  return { ALL: 'All', ACCEPTED: 'Accepted', ANNOTATED: 'Annotated', CONFIG_ONLY: 'ConfigOnly' }[
    filter
  ];
}
