import { randomUUID } from 'node:crypto';
import type { Context } from '../../core/context/context.ts';
import type { Database } from '../../core/database/db.ts';
import { withIdempotency, type IdempotentAnswer } from '../../core/context/with-idempotency.ts';
import { addTemplates, templatesOfTitles } from '../task-tracker.sql.ts';
import { requireAuthor, type Author } from '../require-author.ts';
import { parseTitles } from './parse-titles.ts';
import { templateResults, type TemplateResult } from './task-template.ts';

/**
 * Creates templates with these titles, all or none; an existing template of the author with the same title, ignoring
 * case, is returned as it is (D-79). GraphQL `createTaskTemplates`; REST POST
 * /api/task-tracker-external/tasks/title/templates. Throws E202, ForbiddenError, ValidationError, IdempotencyError.
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
  return withIdempotency(ctx, write, ({ db }) =>
    insertTemplates(db, author, parseTitles(args.titles), new Date(ctx.clock())),
  );
}

async function insertTemplates(
  db: Database,
  { domainId, customerId }: Author,
  titles: ReadonlyMap<string, string>,
  now: Date,
): Promise<TemplateResult[]> {
  // In one order, so that two requests with the same titles can't deadlock.
  const folds = [...titles.keys()].sort();
  const ids = folds.map(() => randomUUID());
  const wanted = { ids, titles: folds.map((fold) => titles.get(fold) ?? ''), folds };
  await addTemplates.rows(db, { domainId, customerId, now, ...wanted });
  const rows = await templatesOfTitles.rows(db, { domainId, customerId, folds });
  const fresh = new Set<string>(ids);
  const stored = new Map(rows.map((row) => [row.titleFold, row]));
  return [...titles.keys()].flatMap((fold) => {
    const row = stored.get(fold);
    return row ? [{ id: row.id, title: row.title, created: fresh.has(row.id) }] : [];
  });
}
