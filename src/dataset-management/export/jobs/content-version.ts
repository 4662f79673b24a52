import type { ClientBase } from 'pg';

/** Adds up the versions of rows: whatever is written to one of them changes the sum. PostgreSQL numbers each version of a row by its transaction. */
const sumOf = (id: string, row: string, from: string): string =>
  `(SELECT concat(count(*), ' ', sum(hashtextextended(concat(${id}, ' ', ${row}.xmin), 0)::numeric)) FROM ${from})`;

const live = `project_dataset pd JOIN dataset d ON d.id = pd.dataset_id AND d.deleted_at IS NULL`;

/** The same text as long as an export of the project would hold the same: annotations count, for each that comes or goes is noted on its image. */
export async function contentVersion(client: ClientBase, projectId: string): Promise<string> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT md5(concat_ws('|',
      ${sumOf('p.id', 'p', 'project p WHERE p.id = $1')},
      ${sumOf('c.id', 'c', 'annotation_class c WHERE c.project_id = $1')},
      ${sumOf('d.id', 'd', `${live} WHERE pd.project_id = $1`)},
      ${sumOf('i.id', 'i', `${live} JOIN image i ON i.dataset_id = d.id AND i.deleted_at IS NULL WHERE pd.project_id = $1`)},
      ${sumOf('r.image_id', 'r', 'image_review r WHERE r.project_id = $1')})) AS version`,
    [projectId],
  );
  return rows[0]?.version ?? '';
}
