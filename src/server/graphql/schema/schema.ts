import { lexicographicSortSchema } from 'graphql';
import '../../../core/graphql/scalars.ts';
import '../../legacy-usage/schema.ts';
import '../../../accounts/api-keys/schema.ts';
import '../../../accounts/sessions/schema.ts';
import '../../../dataset-management/export/schema.ts';
import '../../../dataset-management/images/schema-deletion.ts';
import '../../../dataset-management/images/schema-upload.ts';
import '../../../dataset-management/projects/annotations/schema.ts';
import '../../../dataset-management/projects/schema-mutations.ts';
import '../../../dataset-management/workspaces/schema-encryption.ts';
import '../../../dataset-management/workspaces/schema-mutations.ts';
import '../../../task-execution/calendar/schema.ts';
import '../../../task-execution/calendar/subscriptions/schema.ts';
import '../../../task-execution/configuration/schema.ts';
import '../../../task-execution/configuration/schema-mutations.ts';
import '../../../task-execution/feeds/schema.ts';
import '../../../task-execution/leadership-calendar/schema.ts';
import '../../../task-execution/leadership-calendar/schema-mutations.ts';
import '../../../task-execution/suggested-date/schema.ts';
import '../../../task-tracker/tasks/schema.ts';
import '../../../task-tracker/tasks/schema-mutations.ts';
import '../../../task-tracker/templates/schema.ts';
import '../../../task-execution/changes/schema.ts';
import './schema-explain.ts';
import { builder } from '../../../core/graphql/builder.ts';

/** The GraphQL schema: every schema.ts adds its part. */
export const schema = lexicographicSortSchema(builder.toSchema());
