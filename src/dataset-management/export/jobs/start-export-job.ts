import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { requireViewer } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { AppError, NotFoundError } from '../../../core/errors.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
import { requireProject } from '../../projects/load-project.ts';
import { contentVersion } from './content-version.ts';
import type { ExportFilter } from '../archive/export-filter.ts';
import type { ExportFormat } from '../archive/label-file.ts';
import { loadExportJob, type ExportJob } from './load-export-job.ts';
import { KEEP_MS, runNextExport } from './run-export-job.ts';

/** Exports that one user, and the members of one workspace together, may have under way. */
const MOST_OF_USER = 5;
const MOST_OF_WORKSPACE = 20;
const RETRY_SECONDS = 10;
/** Any constant: requests for exports are counted one after the other. */
const EXPORT_LOCK = 4_711_002;

interface ExportRequest {
  projectId: string;
  filter: ExportFilter;
  format: ExportFormat;
}

/**
 * Starts an export in the background; its archive can be downloaded for a week. While nothing has changed, the same export asked for again is the same job. GraphQL
 * `exportProject`. Throws NotFoundError, ForbiddenError, IdempotencyError; E902 while too many exports are under way.
 */
export async function startExportJob(
  ctx: Context,
  args: ExportRequest & { idempotencyKey?: string | null | undefined },
): Promise<Created<ExportJob>> {
  const { userId } = requireViewer(ctx);
  const project = await requireProject(ctx, args.projectId, 'change');
  const { filter, format } = args;
  const request = { projectId: project.id, filter, format };
  const { answer, replayed } = await createOnce(
    ctx,
    { operation: 'exportProject', key: args.idempotencyKey, request },
    async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [EXPORT_LOCK]);
      const content = await contentVersion(client, project.id);
      const same = await findSame(ctx, client, { ...request, content, userId });
      if (same !== undefined) return same;
      await checkCaps(client, userId, project.workspaceId);
      const id = randomUUID();
      await client.query(
        'INSERT INTO export_job (id, project_id, owner_id, filter, format, content, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
        [id, project.id, userId, filter, format, content, new Date(ctx.clock())],
      );
      return id;
    },
  );
  if (!replayed) ctx.background(() => runNextExport(ctx));
  const job = await loadExportJob(ctx, answer);
  if (!job) throw new NotFoundError('ExportJob');
  return { created: job, replayed };
}

/** A job of the user for the same content, under way or with its archive, of which nothing is missing; it is then kept as long as a new one. */
async function findSame(
  ctx: Context,
  client: ClientBase,
  wanted: ExportRequest & { content: string; userId: number },
): Promise<string | undefined> {
  const now = ctx.clock();
  const { rows } = await client.query<{ id: string; storage_key: string | null }>(
    `SELECT id, storage_key FROM export_job WHERE owner_id = $1 AND project_id = $2 AND filter = $3 AND format = $4 AND content = $5
       AND (state IN ('QUEUED', 'RUNNING') OR (state = 'SUCCEEDED' AND expires_at > $6 AND missing_images = 0)) ORDER BY created_at DESC LIMIT 1`,
    [wanted.userId, wanted.projectId, wanted.filter, wanted.format, wanted.content, new Date(now)],
  );
  const found = rows[0];
  if (!found) return undefined;
  if (found.storage_key !== null && !(await ctx.storage.stat(found.storage_key))) return undefined;
  await client.query(
    `UPDATE export_job SET expires_at = $2 WHERE id = $1 AND state = 'SUCCEEDED'`,
    [found.id, new Date(now + KEEP_MS)],
  );
  return found.id;
}

async function checkCaps(client: ClientBase, userId: number, workspaceId: string): Promise<void> {
  const { rows } = await client.query<{ own: number; all: number }>(
    `SELECT count(*) FILTER (WHERE j.owner_id = $1)::int AS own, count(*) FILTER (WHERE p.workspace_id = $2)::int AS all
     FROM export_job j JOIN project p ON p.id = j.project_id WHERE j.state IN ('QUEUED', 'RUNNING') AND (j.owner_id = $1 OR p.workspace_id = $2)`,
    [userId, workspaceId],
  );
  const { own = 0, all = 0 } = rows[0] ?? {};
  if (own < MOST_OF_USER && all < MOST_OF_WORKSPACE) return;
  const who = own < MOST_OF_USER ? 'The workspace has' : 'You have';
  throw new AppError('E902', {
    message: `${who} ${own < MOST_OF_USER ? all : own} exports under way: wait for one, or stop one of yours with cancelExport, then try again in ${RETRY_SECONDS} s`,
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}
