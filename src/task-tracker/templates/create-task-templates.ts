import { randomUUID } from 'node:crypto';
import type { Context } from '../../core/context/context.ts';
import type { Database } from '../../core/database/db.ts';
import { withIdempotency, type IdempotentAnswer } from '../../core/context/with-idempotency.ts';
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
  { prisma }: Database,
  author: Author,
  titles: ReadonlyMap<string, string>,
  now: Date,
): Promise<TemplateResult[]> {
  // In one order, so that two requests with the same titles can't deadlock.
  const wanted = [...titles]
    .map(([titleFold, title]) => ({ id: randomUUID(), title, titleFold }))
    .sort((a, b) => (a.titleFold < b.titleFold ? -1 : 1));
  const { domainId, customerId } = author;
  await prisma.taskTemplate.createMany({
    data: wanted.map((template) => ({ ...template, domainId, customerId, createdAt: now })),
    skipDuplicates: true,
  });
  const rows = await prisma.taskTemplate.findMany({
    where: { domainId, customerId, titleFold: { in: wanted.map(({ titleFold }) => titleFold) } },
    select: { id: true, title: true, titleFold: true },
  });
  const fresh = new Set<string>(wanted.map(({ id }) => id));
  const stored = new Map(rows.map((row) => [row.titleFold, row]));
  return [...titles.keys()].flatMap((fold) => {
    const row = stored.get(fold);
    return row ? [{ id: row.id, title: row.title, created: fresh.has(row.id) }] : [];
  });
}
