import type { Params } from '../../../core/lists/pagination.ts';

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

/** Condition over the image `i` of a project; "annotated" includes images that were marked so with no annotation. */
export function exportConditionSql(
  filter: ExportFilter,
  projectId: string,
  params: Params,
): string {
  const project = params.add(projectId);
  const review = (states: string): string =>
    `EXISTS (SELECT FROM image_review r WHERE r.project_id = ${project} AND r.image_id = i.id AND r.state IN (${states}))`;
  switch (filter) {
    case 'ALL':
      return `${project}::uuid IS NOT NULL`;
    case 'ACCEPTED':
      return review(`'ACCEPTED'`);
    case 'ANNOTATED':
      return `(${review(`'ANNOTATED', 'ACCEPTED', 'REJECTED'`)} OR EXISTS (SELECT FROM annotation a WHERE a.image_id = i.id AND a.project_id = ${project}))`;
    case 'CONFIG_ONLY':
      return `${project}::uuid IS NULL`;
  }
}
