import type { SignedInContext } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { changeProject } from './change-project.ts';
import type { Project } from './project.ts';

/**
 * Changes the name and description of a project, published or not. GraphQL `updateProject`. Throws ValidationError,
 * NotFoundError, ForbiddenError, ConflictError.
 */
export async function updateProject(
  ctx: SignedInContext,
  args: {
    projectId: string;
    name: string;
    description: string;
    expectedVersion?: number | null | undefined;
  },
): Promise<Project> {
  const text = checkNaming({ name: args.name, description: args.description });
  return changeProject(ctx, args, async ({ db }) => {
    await db.prisma.project.update({ where: { id: args.projectId }, data: text });
    return true;
  });
}

/**
 * Publishes a project, which freezes the names of its classes, or takes that back; repeating it changes nothing. GraphQL
 * `publishProject`, `unpublishProject`. Throws NotFoundError, ForbiddenError.
 */
export function setProjectStatus(
  ctx: SignedInContext,
  args: { projectId: string; status: 'DRAFT' | 'PUBLISHED' },
): Promise<Project> {
  const { projectId, status } = args;
  return changeProject(ctx, { projectId }, async ({ db }, stored) => {
    if (stored.status === status) return false;
    await db.prisma.project.update({ where: { id: projectId }, data: { status } });
    return true;
  });
}
