import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Context } from '../../core/context/context.ts';
import { withIdempotency, type IdempotentAnswer } from '../../core/context/with-idempotency.ts';
import { requireAuthor, type Author } from '../require-author.ts';
import { parseTitles } from './parse-titles.ts';
import { templateResults, type TemplateResult } from './task-template.ts';

/**
 * Creates templates of these titles, all or none; one that the author has already, whatever its case, is returned as it is (D-79). GraphQL
 * `createTaskTemplates`; REST POST /api/task-tracker-external/tasks/title/templates. Throws E202, ForbiddenError, ValidationError, IdempotencyError.
 */
export async function createTaskTemplates(
  ctx: Context,
  args: { titles: unknown; idempotencyKey?: string | null | undefined },
): Promise<IdempotentAnswer<TemplateResult[]>> {
  const author = requireAuthor(ctx);
  const write = {
    scope: author.scope,
    operation: 'createTaskTemplates',
    key: args.idempotencyKey,
    request: args.titles,
    answer: templateResults,
  };
  return withIdempotency(ctx, write, (client) =>
    insertTemplates(client, author, parseTitles(args.titles), new Date(ctx.clock())),
  );
}

async function insertTemplates(
  client: PoolClient,
  author: Author,
  titles: ReadonlyMap<string, string>,
  now: Date,
): Promise<TemplateResult[]> {
  // In one order, so that two requests with the same titles can't wait for each other.
  const wanted = [...titles]
    .map(([fold, title]) => ({ id: randomUUID(), title, fold }))
    .sort((a, b) => (a.fold < b.fold ? -1 : 1));
  await client.query(
    `INSERT INTO task_template (id, domain_id, customer_id, title, title_fold, created_at)
     SELECT w.id, $1, $2, w.title, w.fold, $3 FROM jsonb_to_recordset($4::jsonb) AS w (id uuid, title text, fold text)
     ON CONFLICT (domain_id, customer_id, title_fold) DO NOTHING`,
    [author.domainId, author.customerId, now, JSON.stringify(wanted)],
  );
  const { rows } = await client.query<{ id: string; title: string; title_fold: string }>(
    'SELECT id, title, title_fold FROM task_template WHERE domain_id = $1 AND customer_id IS NOT DISTINCT FROM $2 AND title_fold = ANY ($3)',
    [author.domainId, author.customerId, wanted.map(({ fold }) => fold)],
  );
  const fresh = new Set<string>(wanted.map(({ id }) => id));
  const stored = new Map(rows.map((row) => [row.title_fold, row]));
  return [...titles.keys()].flatMap((fold) => {
    const row = stored.get(fold);
    return row ? [{ id: row.id, title: row.title, created: fresh.has(row.id) }] : [];
  });
}
