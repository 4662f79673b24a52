import { sessionRoutes } from '../../accounts/sessions/rest.ts';
import type { Route, RouteFamily } from '../../core/rest/route.ts';
import type { Day } from '../../core/time/days.ts';
import type { Header, OpenApiDocument } from './document.ts';
import { describeExplain } from './describe-explain.ts';
import { describeRoute } from './describe-route.ts';
import { SchemaComponents } from './schema-components.ts';

/** One tag for each API document, and one for paths that they don't contain. */
const tags = {
  task: { name: 'Task execution', description: 'Configuration, calendars, feeds and actions.' },
  dataset: {
    name: 'Dataset management',
    description: 'Workspaces, datasets, images and projects; every answer in an envelope.',
  },
  tracker: {
    name: 'Task tracker',
    description: 'Tasks and templates from outside, with an API key.',
  },
  scim: {
    name: 'SCIM',
    description:
      'Users and departments of a domain, managed by a directory: RFC 7643 and RFC 7644.',
  },
} as const satisfies Record<RouteFamily, object>;
const accounts = {
  name: 'Sessions',
  description: 'How a session token is obtained and given back.',
};

const moving = {
  name: 'Moving to GraphQL',
  description:
    'What a request is in GraphQL: a page for people, and the header X-Explain for programs.',
};

const header = (description: string): Header => ({ description, schema: { type: 'string' } });

/**
 * The OpenAPI 3.1 document of a route table and of /explain, served under `basePath`: the answer of GET /openapi.json.
 * The days in its examples are those around `today`.
 */
export function describeGateway(
  routes: readonly Route[],
  basePath: string,
  today: Day,
): OpenApiDocument {
  const components = new SchemaComponents();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const tag = sessionRoutes.includes(route) ? accounts : tags[route.family];
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describeRoute(
      withExamplesOf(today, route),
      tag.name,
      components,
    );
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Trivium REST interface',
      version: '1.0.0',
      summary: 'Task execution, dataset management and the external task tracker.',
      description:
        'Every documented path, served by the same operations as GraphQL (/graphql). GET paths answer HEAD too. What a lenient reply ignored is named in X-Ignored-Parameters; Prefer: handling=strict refuses it. A client may name itself in X-Client-Name (letters, digits, space, dot, dash, underscore; up to 40).\n\nEvery reply has X-Interface-Version and X-Request-Id (that of the request is kept, if it has 8 to 64 letters, digits, underscores and dashes), by which the log names it. Those with a session or a key say what is left of its calls: RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset (seconds). X-Degraded: true marks a "No data found" that hides a failure.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This gateway.' }],
    tags: [accounts, ...Object.values(tags), moving],
    paths: { ...paths, '/explain': { ...describeExplain(moving.name) } },
    components: {
      schemas: Object.fromEntries(
        Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'X-service-csrf-token-X',
          description: 'A session token, from POST /session.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An access token (JWT) of an OpenID provider that the gateway trusts; on the paths of dataset management also a session token.',
        },
        scim: {
          type: 'http',
          scheme: 'bearer',
          description: 'A SCIM token, which counts on the paths of SCIM only.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-Key',
          description: 'A key that was issued to the customer.',
        },
        customerId: {
          type: 'apiKey',
          in: 'header',
          name: 'customerId',
          description: 'The customer that the key belongs to.',
        },
      },
      parameters: {
        Prefer: {
          name: 'Prefer',
          in: 'header',
          description: 'Refuses with 400 what would be ignored.',
          schema: { type: 'string', enum: ['handling=strict'] },
        },
        Explain: {
          name: 'X-Explain',
          in: 'header',
          description: 'Says in the answer what the request is in GraphQL.',
          schema: { type: 'string', enum: ['1'] },
        },
      },
      headers: {
        ErrorCode: header('The error code of the body.'),
        RetryAfter: header('Seconds to wait.'),
        IgnoredParameters: header('Names of the parameters that were ignored, wholly or in part.'),
        Deprecation: header('RFC 9745: since when the path is deprecated.'),
        Sunset: header('RFC 8594: from when on it may be gone.'),
        Link: header(
          'rel="successor-version": what replaces a deprecated path; rel="alternate", after X-Explain: the page that explains the request.',
        ),
        GraphQLOperation: header(
          'After X-Explain: the GraphQL operation that does the same. Left out when the request can not be translated, or at more than 3,000 characters.',
        ),
        GraphQLVariables: header('After X-Explain: its variables, as JSON of ASCII characters.'),
      },
    },
  };
}

function withExamplesOf(today: Day, route: Route): Route {
  const parameters = route.parameters.map((parameter) =>
    typeof parameter.example === 'function'
      ? { ...parameter, example: parameter.example(today) }
      : parameter,
  );
  return { ...route, parameters };
}
