import { rowsById } from '../workspaces/rows-by-id.ts';
import { projectList } from './project.ts';

/** Projects by id. GraphQL `project`, `node`. */
export const {
  load: loadProject,
  require: requireProject,
  forget: forgetProjects,
} = rowsById('Project', projectList);
