import { tagOf } from '../../../core/tag-of.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { GROUP_SCHEMA } from '../protocol/attribute-path.ts';

/** What is read of a department. */
export const scimGroupColumns = {
  id: true,
  name: true,
  externalId: true,
} as const satisfies Prisma.DeptSelect;

/** A user in a department. */
export interface Member {
  id: number;
  displayName: string;
}

/** A department as a directory manages it. */
export type ScimGroup = Prisma.DeptGetPayload<{ select: typeof scimGroupColumns }> & {
  /** Undefined where nobody wants to know them: there may be many. */
  members?: readonly Member[] | undefined;
};

/** The ETag of a department; undefined without its members. */
export function versionOfGroup(group: ScimGroup): string | undefined {
  return group.members && tagOf(JSON.stringify(group));
}

/** The department as a resource of SCIM (RFC 7643, 4.2). */
export function groupResource(group: ScimGroup, baseUrl: string): Record<string, unknown> {
  const { id, name, externalId, members } = group;
  const version = versionOfGroup(group);
  return {
    schemas: [GROUP_SCHEMA],
    id: String(id),
    ...(externalId !== null && { externalId }),
    displayName: name,
    ...(members && {
      members: members.map((member) => ({
        value: String(member.id),
        $ref: `${baseUrl}/scim/v2/Users/${member.id}`,
        display: member.displayName,
        type: 'User',
      })),
    }),
    meta: {
      resourceType: 'Group',
      location: `${baseUrl}/scim/v2/Groups/${id}`,
      ...(version !== undefined && { version }),
    },
  };
}
