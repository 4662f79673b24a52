import { jsonAnswer, type ScimRoute } from '../../../core/rest/route.ts';
import { listExample } from '../protocol/list-shape.ts';
import {
  ETAG,
  NO_CONTENT,
  presentCreated,
  presentList,
  presentResource,
} from '../protocol/present-resource.ts';
import {
  groupChangeParameters,
  groupDeletionParameters,
  groupParameters,
  groupListParameters,
  newParameters,
  patchBody,
  readJson,
  scimBody,
  scimRoute,
} from '../protocol/scim-parameters.ts';
import { isSelected } from '../protocol/select-attributes.ts';
import { changeScimGroup } from './change-scim-group.ts';
import { createScimGroup } from './create-scim-group.ts';
import { deleteScimGroup } from './delete-scim-group.ts';
import { groupResource } from './group-resource.ts';
import {
  groupBody,
  groupBodyExample,
  groupExample,
  groupShape,
  groupsShape,
} from './group-shape.ts';
import { listScimGroups } from './list-scim-groups.ts';
import { readScimGroup } from './read-scim-group.ts';

const fieldNames = { nameFold: 'displayName' };
const groupInput = scimBody(groupBody, groupBodyExample);

export const scimGroupRoutes: readonly ScimRoute[] = [
  scimRoute({
    fieldNames,
    method: 'GET',
    path: '/scim/v2/Groups',
    operation: 'listScimGroups',
    summary: 'Departments of the domain, by id.',
    request: groupListParameters,
    answer: jsonAnswer(groupsShape, listExample(groupExample)),
    run: async (ctx, values) => {
      const withMembers = isSelected('members', values);
      return presentList(await listScimGroups(ctx, { ...values, withMembers }), {
        ...values,
        resource: (group) => groupResource(group, ctx.baseUrl),
      });
    },
  }),
  scimRoute({
    fieldNames,
    method: 'POST',
    path: '/scim/v2/Groups',
    operation: 'createScimGroup',
    summary: 'Creates a department.',
    request: newParameters,
    body: groupInput,
    answer: jsonAnswer(groupShape, groupExample, { status: 201, headers: ETAG }),
    run: async (ctx, values, request) => {
      const group = await createScimGroup(ctx, { body: await readJson(request) });
      return presentCreated(groupResource(group, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'GET',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'readScimGroup',
    summary: 'A department.',
    request: groupParameters,
    mayBeMissing: true,
    answer: jsonAnswer(groupShape, groupExample, { conditional: true }),
    run: async (ctx, { groupId: id = '', ...values }, request) => {
      const withMembers = isSelected('members', values);
      const group = await readScimGroup(ctx, { id, withMembers });
      return presentResource(request, groupResource(group, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'PUT',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'replaceScimGroup',
    summary: 'Changes a department to what is sent; what is left out stays as it is.',
    request: groupChangeParameters,
    body: groupInput,
    mayBeMissing: true,
    answer: jsonAnswer(groupShape, groupExample, { headers: ETAG }),
    run: async (ctx, { groupId: id = '', 'If-Match': ifMatch, ...values }, request) => {
      const body = await readJson(request);
      const withMembers = isSelected('members', values);
      const group = await changeScimGroup(ctx, { id, ifMatch, method: 'PUT', body, withMembers });
      return presentResource(undefined, groupResource(group, ctx.baseUrl), values);
    },
  }),
  scimRoute({
    fieldNames,
    method: 'PATCH',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'patchScimGroup',
    summary: 'Changes a department by operations: members who come and go, its name.',
    request: groupDeletionParameters,
    body: patchBody({ op: 'add', path: 'members', value: [{ value: '7' }] }),
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, { groupId: id = '', 'If-Match': ifMatch }, request) => {
      const body = await readJson(request);
      await changeScimGroup(ctx, { id, ifMatch, method: 'PATCH', body, withMembers: false });
      return NO_CONTENT;
    },
  }),
  scimRoute({
    fieldNames,
    method: 'DELETE',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'deleteScimGroup',
    summary: 'Takes all members out of a department and hides it from the directory.',
    request: groupDeletionParameters,
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, { groupId: id = '', 'If-Match': ifMatch }) => {
      await deleteScimGroup(ctx, { id, ifMatch });
      return NO_CONTENT;
    },
  }),
];
