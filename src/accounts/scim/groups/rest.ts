import { describeParameters } from '../../../core/rest/describe-parameters.ts';
import { jsonAnswer, type ScimRoute } from '../../../core/rest/route.ts';
import { listExample } from '../protocol/list-shape.ts';
import {
  NO_CONTENT,
  presentCreated,
  presentList,
  presentResource,
} from '../protocol/present-resource.ts';
import { patchShape } from '../protocol/read-patch.ts';
import {
  groupChangeParameters,
  groupDeletionParameters,
  groupParameters,
  groupListParameters,
  newParameters,
  readJson,
  readParameters,
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

const ours = {
  family: 'scim',
  auth: 'scim',
  fieldNames: { nameFold: 'displayName' },
} as const;
const mediaTypes = ['application/scim+json', 'application/json'] as const;
const groupInput = { mediaTypes, schema: groupBody, example: groupBodyExample };
const ETAG = { ETag: 'The version, to be sent back as If-Match or If-None-Match.' };

export const scimGroupRoutes: readonly ScimRoute[] = [
  {
    ...ours,
    method: 'GET',
    path: '/scim/v2/Groups',
    operation: 'listScimGroups',
    summary: 'Departments of the domain, by id.',
    parameters: describeParameters(groupListParameters),
    answer: jsonAnswer(groupsShape, listExample(groupExample)),
    run: async (ctx, request) => {
      const values = await readParameters(request, groupListParameters);
      const withMembers = isSelected('members', values);
      return presentList(await listScimGroups(ctx, { ...values, withMembers }), {
        ...values,
        resource: (group) => groupResource(group, ctx.baseUrl),
      });
    },
  },
  {
    ...ours,
    method: 'POST',
    path: '/scim/v2/Groups',
    operation: 'createScimGroup',
    summary: 'Creates a department.',
    parameters: describeParameters(newParameters),
    body: groupInput,
    answer: jsonAnswer(groupShape, groupExample, { status: 201, headers: ETAG }),
    run: async (ctx, request) => {
      const values = await readParameters(request, newParameters);
      const group = await createScimGroup(ctx, { body: await readJson(request) });
      return presentCreated(groupResource(group, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'GET',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'readScimGroup',
    summary: 'A department.',
    parameters: describeParameters(groupParameters),
    mayBeMissing: true,
    answer: jsonAnswer(groupShape, groupExample, { conditional: true }),
    run: async (ctx, request) => {
      const { groupId = '', ...values } = await readParameters(request, groupParameters);
      const withMembers = isSelected('members', values);
      const group = await readScimGroup(ctx, { id: groupId, withMembers });
      return presentResource(request, groupResource(group, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'PUT',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'replaceScimGroup',
    summary: 'Changes a department to what is sent; what is left out stays as it is.',
    parameters: describeParameters(groupChangeParameters),
    body: groupInput,
    mayBeMissing: true,
    answer: jsonAnswer(groupShape, groupExample, { headers: ETAG }),
    run: async (ctx, request) => {
      const values = await readParameters(request, groupChangeParameters);
      const { groupId: id = '', 'If-Match': ifMatch } = values;
      const body = await readJson(request);
      const withMembers = isSelected('members', values);
      const group = await changeScimGroup(ctx, { id, ifMatch, method: 'PUT', body, withMembers });
      return presentResource(undefined, groupResource(group, ctx.baseUrl), values);
    },
  },
  {
    ...ours,
    method: 'PATCH',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'patchScimGroup',
    summary: 'Changes a department by operations: members who come and go, its name.',
    parameters: describeParameters(groupDeletionParameters),
    body: {
      mediaTypes,
      schema: patchShape,
      example: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'add', path: 'members', value: [{ value: '7' }] }],
      },
    },
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, request) => {
      const values = await readParameters(request, groupDeletionParameters);
      const { groupId: id = '', 'If-Match': ifMatch } = values;
      const body = await readJson(request);
      await changeScimGroup(ctx, { id, ifMatch, method: 'PATCH', body, withMembers: false });
      return NO_CONTENT;
    },
  },
  {
    ...ours,
    method: 'DELETE',
    path: '/scim/v2/Groups/{groupId}',
    operation: 'deleteScimGroup',
    summary: 'Takes all members out of a department and hides it from the directory.',
    parameters: describeParameters(groupDeletionParameters),
    mayBeMissing: true,
    answer: { status: 204 },
    run: async (ctx, request) => {
      const values = await readParameters(request, groupDeletionParameters);
      const { groupId: id = '', 'If-Match': ifMatch } = values;
      await deleteScimGroup(ctx, { id, ifMatch });
      return NO_CONTENT;
    },
  },
];
