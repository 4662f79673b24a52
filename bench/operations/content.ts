import {
  globalId,
  gql,
  mutate,
  quietly,
  rest,
  type Caller,
  type Step,
  type Story,
} from './steps.ts';

/** Workspaces, datasets, images, projects, annotations and exports: made, read and deleted. */
export function* content(user: Caller, round: number, image: Buffer): Story {
  const { data: workspaceId } = yield rest(
    'workspace: create',
    user,
    'POST /api/Workspaces/create',
    {
      name: `Workspace ${round}`,
    },
  );
  yield rest('workspace: list', user, 'GET /api/Workspaces');
  yield gql(
    'workspace: read',
    user,
    'query ($id: ID!) { node(id: $id) { ... on Workspace { name } } }',
    { id: globalId('Workspace', workspaceId) },
  );
  const { data: datasetId } = yield rest('dataset: create', user, 'POST /api/Datasets/create', {
    workspaceId,
    name: 'Set',
    description: '',
  });
  yield rest('dataset: list', user, `GET /api/Datasets?workspaceId=${workspaceId}`);
  const added = yield addImage(user, datasetId, image);
  yield rest(
    'image: list',
    user,
    `GET /api/Datasets/images?datasetId=${datasetId}&PageSize=20&PageNumber=1`,
  );
  yield rest('image: download', user, `GET /api/Images/download?imageId=${added.data}`);
  const imageId = globalId('DatasetImage', added.data);
  const made = yield mutate(
    'project: create',
    user,
    'createProject -> CreateProjectPayload { project { id uuid } }',
    { workspaceId: globalId('Workspace', workspaceId), name: 'Project', description: '' },
  );
  const { id: projectId, uuid } = made.data.createProject.project;
  yield rest('project: list', user, `GET /api/Projects?workspaceId=${workspaceId}`);
  const both = { projectId: uuid, datasetId };
  yield rest('project: assign dataset', user, 'POST /api/Projects/AssignDataset', both);
  yield mutate(
    'annotation classes: add',
    user,
    'addAnnotationClasses -> AddAnnotationClassesPayload { classes { name } }',
    { projectId, classes: [{ name: 'car' }, { name: 'cart' }] },
  );
  yield gql(
    'annotation classes: list',
    user,
    'query ($id: ID!) { node(id: $id) { ... on Project { classes { name color } } } }',
    { id: projectId },
  );
  const annotations = [{ className: 'car', shape: 'BBOX', geometry: [1, 1, 5, 5] }];
  yield mutate(
    'image: annotate',
    user,
    'annotateImage -> AnnotateImagePayload { image { hasAnnotations } }',
    { projectId, imageId, annotations },
  );
  const started = yield mutate(
    'export: start',
    user,
    'exportProject -> ExportProjectPayload { job { id } }',
    { projectId, filter: 'CONFIG_ONLY' },
  );
  const job = gql(
    'export: read',
    user,
    'query ($id: ID!) { node(id: $id) { ... on ExportJob { state progress downloadUrl } } }',
    { id: started.data.exportProject.job.id },
  );
  while ((yield quietly(job)).data.node.state !== 'SUCCEEDED');
  yield job;
  yield rest('project: unassign dataset', user, 'POST /api/Projects/UnlinkDataset', both);
  yield mutate('image: delete', user, 'deleteImage -> DeletePayload { deletedId }', { imageId });
  yield mutate('dataset: delete', user, 'deleteDataset -> DeletePayload { deletedId }', {
    datasetId: globalId('Dataset', datasetId),
  });
  yield mutate('workspace: delete', user, 'deleteWorkspace -> DeletePayload { deletedId }', {
    workspaceId: globalId('Workspace', workspaceId),
  });
}

function addImage(user: Caller, datasetId: string, image: Buffer): Step {
  const part = (name: string, more = ''): string =>
    `--bench\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  return {
    name: 'image: add',
    method: 'POST',
    path: '/api/Images/addImage',
    headers: { ...user, 'content-type': 'multipart/form-data; boundary=bench' },
    body: Buffer.concat([
      Buffer.from(
        `${part('DatasetId')}${datasetId}\r\n${part('FileName')}one.jpg\r\n${part('Image', '; filename="one.jpg"')}`,
      ),
      image,
      Buffer.from('\r\n--bench--\r\n'),
    ]),
  };
}
