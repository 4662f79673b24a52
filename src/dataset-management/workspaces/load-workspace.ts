import { rowsById } from './rows-by-id.ts';
import { workspaceList } from './workspace.ts';

/** Workspaces by id. GraphQL `workspace`, `node`. */
export const {
  load: loadWorkspace,
  require: requireWorkspace,
  forget: forgetWorkspaces,
} = rowsById('Workspace', workspaceList);
