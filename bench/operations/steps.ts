/** What one client does in a round, request after request; each answer is given to it before the next. */
export type Story = Generator<Step, void, Answer>;

export interface Step {
  /** Without one it only prepares another, and is not counted. */
  name: string | undefined;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

// The parsed body, whose shape each step knows.
export type Answer = any;

/** Who asks: a session of a user, or a customer's key. */
export type Caller = Record<string, string>;

const JSON_BODY = { 'content-type': 'application/json' };

export function rest(name: string, caller: Caller, route: string, body?: object): Step {
  const [method, path = ''] = route.split(' ');
  return {
    name,
    method: method === 'GET' || method === 'DELETE' ? method : 'POST',
    path,
    headers: body ? { ...JSON_BODY, ...caller } : caller,
    body: body && JSON.stringify(body),
  };
}

export function gql(name: string, caller: Caller, query: string, variables: object = {}): Step {
  return rest(name, caller, 'POST /graphql', { query, variables });
}

/** A mutation that takes one input. */
export function mutate(name: string, caller: Caller, mutation: string, input: object): Step {
  const [field = '', payload = ''] = mutation.split(' -> ');
  const type = field.charAt(0).toUpperCase() + field.slice(1);
  const result = payload.replace(/^\w+/, '... on $&');
  const query = `mutation ($input: ${inputs[field] ?? type}Input!) { ${field}(input: $input) { __typename ${result} } }`;
  return gql(name, caller, query, { input });
}
const inputs: Record<string, string> = {
  deleteDataset: 'DatasetId',
  publishDataset: 'DatasetId',
  assignDatasetToProject: 'ProjectDataset',
};

/** The same, not counted. */
export const quietly = (step: Step): Step => ({ ...step, name: undefined });

export const globalId = (type: string, id: string | number): string =>
  Buffer.from(`${type}:${id}`).toString('base64');
