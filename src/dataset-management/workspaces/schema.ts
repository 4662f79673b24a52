import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { pageWorkspaces } from './list-workspaces.ts';
import { loadWorkspace } from './load-workspace.ts';
import { Workspace } from './workspace.ts';

export const WorkspaceRef = builder.objectRef<Workspace>('Workspace');

builder.node(WorkspaceRef, {
  description: 'Holds datasets and projects. REST: WorkspaceInfo.',
  id: { resolve: (workspace) => workspace.id, description: 'Opaque global id.' },
  isTypeOf: (value) => value instanceof Workspace,
  loadOne: (id, ctx) => loadWorkspace(ctx, id),
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'Id of the REST paths. REST: id.',
      resolve: ({ id }) => id,
    }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    encrypted: t.exposeBoolean('encrypted', {
      description: 'Images and thumbnails are encrypted by the client. REST: encrypted.',
    }),
  }),
});

export const { connection: WorkspaceConnection, edge: WorkspaceEdge } = connectionType(
  'Workspace',
  WorkspaceRef,
);

builder.objectFields(ViewerRef, (t) => ({
  workspaces: t.field({
    type: WorkspaceConnection,
    description: 'Workspaces of which you are a member, oldest first. REST: /api/Workspaces.',
    args: connectionArgs,
    resolve: (_, args, ctx) => pageWorkspaces(ctx, pageFromConnectionArgs(args)),
  }),
}));

builder.queryField('workspace', (t) =>
  t.field({
    type: WorkspaceRef,
    nullable: true,
    description: 'The workspace with this id; null when there is none that you may see.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'The id that REST uses.' }) },
    resolve: (_, { uuid }, ctx) => loadWorkspace(ctx, uuid.toLowerCase()),
  }),
);
