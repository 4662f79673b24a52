import type { Context } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { isStorable } from '../../core/text.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/** Makes exactly these members of the workspace the members of a project. GraphQL `setProjectMembers`. Throws NotFoundError, ForbiddenError, ValidationError for a login that is not in the workspace. */
export async function setProjectMembers(
  ctx: Context,
  args: { projectId: string; logins: readonly string[] },
): Promise<Project> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const logins = [...new Set(args.logins.map((login) => login.normalize('NFC').toLowerCase()))];
  await ctx.db.transaction(async (client) => {
    const { rows } = await client.query<{ id: number; login: string }>(
      'SELECT u.id, u.login FROM "user" u JOIN workspace_member m ON m.user_id = u.id AND m.workspace_id = $1 WHERE u.login = ANY ($2::text[])',
      [project.workspaceId, logins.filter(isStorable)],
    );
    const known = new Set(rows.map(({ login }) => login));
    const problems = logins
      .filter((login) => !known.has(login))
      .map((login) => ({
        path: ['logins'],
        message: `${login} is not a member of the workspace`,
        code: 'VALIDATION_ERROR',
      }));
    if (problems.length > 0) throw new ValidationError(problems);
    const ids = rows.map(({ id }) => id);
    await client.query(
      'DELETE FROM project_member WHERE project_id = $1 AND user_id <> ALL ($2::int[])',
      [project.id, ids],
    );
    await client.query(
      'INSERT INTO project_member (project_id, user_id) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING',
      [project.id, ids],
    );
  });
  return project;
}
