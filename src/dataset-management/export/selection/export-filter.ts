/** Which images an export holds (D-64). */
export const exportFilters = ['ALL', 'ACCEPTED', 'ANNOTATED', 'CONFIG_ONLY'] as const;
export type ExportFilter = (typeof exportFilters)[number];

/** As REST and the command line write them. */
export const exportFilterNames = {
  ALL: 'All',
  ACCEPTED: 'Accepted',
  ANNOTATED: 'Annotated',
  CONFIG_ONLY: 'ConfigOnly',
} as const satisfies Record<ExportFilter, string>;

/** A filter by its name in any case; undefined for anything else. */
export function parseExportFilter(text: string): ExportFilter | undefined {
  const name = text.trim().toLowerCase();
  return exportFilters.find((filter) => exportFilterNames[filter].toLowerCase() === name);
}
