import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { ValidationError } from '../../core/errors.ts';
import { foldLogin } from '../../core/text.ts';
import { shareWorkspaceOf } from '../content/content.sql.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';
import { replaceProjectMembers } from './replace-project-members.ts';

/**
 * Replaces the members of a project by these members of the workspace. GraphQL `setProjectMembers`. Throws
 * NotFoundError, ForbiddenError, ValidationError for a login that is not in the workspace.
 */
export async function setProjectMembers(
  ctx: SignedInContext,
  args: { projectId: string; logins: readonly string[] },
): Promise<Project> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const logins = [...new Set(args.logins.map(foldLogin))];
  await inTransaction(ctx, async ({ db }) => {
    // Who is removed from the workspace meanwhile is no member of the project either.
    await shareWorkspaceOf.rows(db, { id: project.id });
    const { unknown } = await replaceProjectMembers(db, project, logins);
    if (unknown.size > 0)
      throw new ValidationError(
        [...unknown].map((login) => ({
          path: ['logins'],
          message: `${login} is not a member of the workspace`,
          code: 'VALIDATION_ERROR',
        })),
      );
  });
  return project;
}
