import { ask } from './page/ask.ts';
import { counted } from './page/counted.ts';
import {
  ONE_WORKSPACE,
  WORKSPACES,
  type DatasetRow,
  type WorkspaceData,
  type WorkspacesData,
} from './page/documents.ts';
import { element, type Child } from './page/element.ts';
import { exportPanel } from './export-panel.ts';
import { importPanel } from './import-panel.ts';
import { progressBar } from './page/progress.ts';
import { link, notFound, pager, paging, trail, type Show } from './page/view.ts';

/** Workspaces of a page, and datasets of a page of one. */
const WORKSPACES_SHOWN = 20;
const DATASETS_SHOWN = 50;

/** The workspaces of the reader, each with its first datasets. */
export const showWorkspaces: Show = async ({ place, signal }) => {
  const { viewer } = await ask<WorkspacesData>(WORKSPACES, paging(place, WORKSPACES_SHOWN), signal);
  const { nodes, totalCount, pageInfo } = viewer.workspaces;
  return {
    title: 'Workspaces',
    body: [
      totalCount === 0 &&
        element('p', {}, 'You are a member of no workspace. Whoever owns one can add you.'),
      nodes.map(({ uuid, name, encrypted, viewerRole, datasets }) =>
        element(
          'section',
          { class: 'card' },
          element('h2', {}, link({ workspace: uuid }, name)),
          element('p', { class: 'hint' }, [viewerRole.toLowerCase(), encrypted && ', encrypted']),
          listDatasets(datasets.nodes),
          datasets.totalCount > datasets.nodes.length &&
            element('p', {}, link({ workspace: uuid }, `All ${datasets.totalCount} datasets`)),
        ),
      ),
      pager(place, pageInfo),
    ],
  };
};

/** A workspace: its datasets, and its projects with their progress. */
export const showWorkspace: Show = async ({ place, signal }) => {
  const variables = { uuid: place.workspace, ...paging(place, DATASETS_SHOWN) };
  const { workspace } = await ask<WorkspaceData>(ONE_WORKSPACE, variables, signal);
  if (!workspace) return notFound('Workspace');
  const { projects, datasets } = workspace;
  return {
    title: workspace.name,
    body: [
      trail(link({}, 'Workspaces')),
      element('h2', {}, 'Datasets'),
      listDatasets(datasets.nodes),
      pager(place, datasets.pageInfo),
      element('h2', {}, 'Projects'),
      projects.totalCount === 0 && element('p', {}, 'It has no projects yet.'),
      projects.nodes.map((project) =>
        element(
          'section',
          { class: 'card' },
          element('h3', {}, project.name),
          progressBar(project),
          exportPanel(project, signal),
          importPanel(project, workspace.viewerRole, signal),
        ),
      ),
      projects.totalCount > projects.nodes.length &&
        element(
          'p',
          { class: 'hint' },
          `${projects.totalCount - projects.nodes.length} more projects are not shown.`,
        ),
    ],
  };
};

function listDatasets(datasets: readonly DatasetRow[]): Child {
  if (datasets.length === 0) return element('p', {}, 'It has no datasets yet.');
  return element(
    'ul',
    { class: 'plain' },
    datasets.map(({ uuid, name, imagesCount, status }) =>
      element(
        'li',
        {},
        link({ dataset: uuid }, name),
        ` ${counted(imagesCount, 'image')}${status === 'PUBLISHED' ? ', published' : ''}`,
      ),
    ),
  );
}
