import { scimDiscoveryRoutes } from '../../accounts/scim/discovery/rest.ts';
import { scimGroupRoutes } from '../../accounts/scim/groups/rest.ts';
import { scimUserRoutes } from '../../accounts/scim/users/rest.ts';
import { sessionRoutes } from '../../accounts/sessions/rest.ts';
import type { Route } from '../../core/rest/route.ts';
import { annotationImportRoutes } from '../../dataset-management/annotation-import/rest.ts';
import { datasetRoutes } from '../../dataset-management/datasets/rest.ts';
import { versionRoutes } from '../../dataset-management/versions/rest.ts';
import { exportRoutes } from '../../dataset-management/export/rest.ts';
import { imageRoutes } from '../../dataset-management/images/rest.ts';
import { projectRoutes } from '../../dataset-management/projects/rest.ts';
import { workspaceRoutes } from '../../dataset-management/workspaces/rest.ts';
import { calendarRoutes } from '../../task-execution/calendar/rest.ts';
import { subscriptionRoutes } from '../../task-execution/calendar/subscriptions/rest.ts';
import { configurationRoutes } from '../../task-execution/configuration/rest.ts';
import { feedRoutes } from '../../task-execution/retrieve/rest.ts';
import { leadershipCalendarRoutes } from '../../task-execution/leadership-calendar/rest.ts';
import { suggestedDateRoutes } from '../../task-execution/suggested-date/rest.ts';
import { externalTaskRoutes } from '../../task-tracker/tasks/rest.ts';
import { taskTemplateRoutes } from '../../task-tracker/templates/rest.ts';

/** The paths of the API documents, and those that go with them: GraphQL replaces each of them. */
export const legacyRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...configurationRoutes,
  ...calendarRoutes,
  ...subscriptionRoutes,
  ...feedRoutes,
  ...leadershipCalendarRoutes,
  ...suggestedDateRoutes,
  ...workspaceRoutes,
  ...datasetRoutes,
  ...imageRoutes,
  ...projectRoutes,
  ...exportRoutes,
  ...annotationImportRoutes,
  ...versionRoutes,
  ...taskTemplateRoutes,
  ...externalTaskRoutes,
];

/** Every path of the REST surface. */
export const routes: readonly Route[] = [
  ...legacyRoutes,
  ...scimDiscoveryRoutes,
  ...scimUserRoutes,
  ...scimGroupRoutes,
];
