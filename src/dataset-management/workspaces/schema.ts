import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { mutationPayload } from '../../core/graphql/mutations.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { pageWorkspaces } from './list-workspaces.ts';
import { loadWorkspace } from './load-workspace.ts';
import { Workspace } from './workspace.ts';

export const WorkspaceRoleEnum = builder.enumType('WorkspaceRole', {
  description: 'What a member of a workspace may do. Every member sees all of it.',
  values: {
    OWNER: { description: 'Everything: also delete and encrypt it, and change its members.' },
    MANAGER: { description: 'Change datasets, images and projects, review and export.' },
    DEVELOPER: { description: 'The same as MANAGER.' },
    ANNOTATOR: { description: 'Annotate.' },
  } as const,
});

export const WorkspaceRef = builder.objectRef<Workspace>('Workspace');

builder.node(WorkspaceRef, {
  description: 'A place for datasets and projects that only its members see. REST: WorkspaceInfo.',
  id: { resolve: (workspace) => workspace.id },
  isTypeOf: (value) => value instanceof Workspace,
  loadOne: (id, ctx) => loadWorkspace(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    encrypted: t.exposeBoolean('encrypted', {
      description: 'Whether images and thumbnails are encrypted by the client. REST: encrypted.',
    }),
    viewerRole: t.expose('role', {
      type: WorkspaceRoleEnum,
      description: 'Your role in it.',
    }),
  }),
});

/** Payload of a change of a workspace. */
export const workspacePayload = (name: string, description: string) =>
  mutationPayload<{ workspace: Workspace }>(name, {
    description,
    fields: (t) => ({
      workspace: t.expose('workspace', {
        type: WorkspaceRef,
        description: 'The workspace as it is now.',
      }),
    }),
  });

export const { connection: WorkspaceConnection, edge: WorkspaceEdge } = connectionType(
  'Workspace',
  WorkspaceRef,
);

builder.objectFields(ViewerRef, (t) => ({
  workspaces: t.connection(
    {
      type: WorkspaceRef,
      description: 'Workspaces in which you are a member, oldest first. REST: /api/Workspaces.',
      resolve: (_, args, ctx) =>
        relayPage(pageWorkspaces(signedIn(ctx), pageFromConnectionArgs(args))),
    },
    WorkspaceConnection,
  ),
}));

builder.queryField('workspace', (t) =>
  t.field({
    type: WorkspaceRef,
    nullable: true,
    description: 'The workspace with this id; null if it does not exist or you may not see it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id in the REST API.' }) },
    resolve: (_, { uuid }, ctx) => loadWorkspace(signedIn(ctx), uuid.toLowerCase()),
  }),
);
