import { pagesBelow } from '../../../core/lists/pages-below.ts';
import { memberList } from './member.ts';

/** A page of the members of a workspace, by login. GraphQL `Workspace.members`. */
export const pageMembers = pagesBelow(({ viewer }, workspace) => memberList(viewer, { workspace }));
