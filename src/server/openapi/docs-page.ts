import { createHash } from 'node:crypto';
import { docsStyle } from './docs-style.ts';
import type { Answer, Content, OpenApiDocument, Operation, Parameter } from './document.ts';
import { html, Html } from '../http/html.ts';
import type { JsonSchema } from './schema-components.ts';

/** Allows only the page's own style, by its digest: no script, no network. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The OpenAPI document as a page for people: plain HTML with sections that open without a script. */
export function renderDocs(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<style>${new Html(docsStyle)}</style>
<body>
<a class="skip" href="#content">Skip to the paths</a>
<header>
<h1>${info.title} <span class="muted">${info.version}</span></h1>
<p>${info.description}</p>
<nav aria-label="Sections"><ul>${tags.map(({ name }) => html`<li><a href="#${idOf(name)}">${name}</a></li>`)}<li><a href="#schemas">Schemas</a></li><li><a href="openapi.json">openapi.json</a></li></ul></nav>
</header>
<main id="content">
${tags.map(({ name, description }) => html`<section aria-labelledby="${idOf(name)}"><h2 id="${idOf(name)}">${name}</h2><p>${description}</p>${operationsOf(document, name)}</section>`)}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => html`<details id="schema-${name}"><summary><code>${name}</code></summary><div>${members(schema)}</div></details>`)}
</section>
</main>
</body>
</html>
`;
  return page.text;
}

function operationsOf(document: OpenApiDocument, tag: string): Html[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag)
        ? [renderOperation(document, method.toUpperCase(), path, operation)]
        : [],
    ),
  );
}

function renderOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const parameters = operation.parameters
    .map((parameter) =>
      '$ref' in parameter
        ? document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
        : parameter,
    )
    .filter((parameter) => parameter !== undefined);
  return html`<details id="${operation.operationId}"><summary><span class="method">${method}</span> <code>${path}</code> ${operation.deprecated && html`<span class="warn">deprecated</span>`} <span class="summary">${operation.summary}</span></summary><div>
${operation.description !== undefined && html`<p class="warn">${operation.description}</p>`}
<h3>Headers that say who calls</h3><p>${whoMay(document, operation)}</p>
${parameters.length > 0 && html`<h3>Parameters</h3><dl>${parameters.map(renderParameter)}</dl>`}
${operation.requestBody && html`<h3>Body</h3>${renderContent(operation.requestBody.content)}`}
<h3>Answers</h3>${Object.entries(operation.responses).map(([status, answer]) => renderAnswer(document, status, answer))}
</div></details>
`;
}

function whoMay({ components }: OpenApiDocument, { security }: Operation): Html[] | string {
  if (security.length === 0) return 'None: anybody may call it.';
  const ways = security.map((way) =>
    Object.keys(way)
      .map((name) => components.securitySchemes[name])
      .map((scheme) =>
        scheme?.scheme === 'bearer' ? 'Authorization: Bearer' : (scheme?.name ?? ''),
      ),
  );
  return ways.map(
    (names, index) =>
      html`${index > 0 && ' or '}${names.map((name, at) => html`${at > 0 && ' and '}<code>${name}</code>`)}`,
  );
}

function renderParameter({
  name,
  in: place,
  required,
  schema,
  description,
  example,
}: Parameter): Html {
  return html`<dt><code>${name}</code> <span class="muted">${place}${required && ', required'}</span></dt><dd>${description} ${facts(schema)}${example !== undefined && html`<span class="muted">; e.g. <code>${plain(example)}</code></span>`}</dd>`;
}

/** Type, bounds and values of a schema, or a link to it. */
function facts(schema: JsonSchema): Html {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if (Array.isArray(schema['anyOf']))
    return html`${schema['anyOf'].map((one: JsonSchema, index) => html`${index > 0 && ' or '}${facts(one)}`)}`;
  const said = [
    'format',
    'enum',
    'const',
    'default',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
  ].flatMap((key) =>
    schema[key] === undefined ? [] : [`${key === 'enum' ? 'one of' : key} ${plain(schema[key])}`],
  );
  const items = isSchema(schema['items']) ? html` of ${facts(schema['items'])}` : undefined;
  return html`<span class="muted">${[...(schema['type'] === undefined ? [] : [plain(schema['type'])]), ...said].join('; ')}</span>${items}`;
}

/** The members of an object, including nested ones; for other schemas a description. */
function members(schema: JsonSchema): Html {
  const { properties, description, required } = schema;
  const intro = typeof description === 'string' && html`<p>${description}</p>`;
  if (!isSchema(properties)) return html`${intro}<p>${facts(schema)}</p>`;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return html`${intro}<dl>${Object.entries(properties).map(([name, value]) => {
    const member = isSchema(value) ? value : {};
    const inner = isSchema(member['properties'])
      ? member
      : isSchema(member['items']) && isSchema(member['items']['properties'])
        ? member['items']
        : undefined;
    return html`<dt><code>${name}</code>${!needed.includes(name) && html` <span class="muted">optional</span>`}</dt><dd>${typeof member['description'] === 'string' && `${member['description']} `}${inner ? members({ ...inner, description: undefined }) : facts(member)}</dd>`;
  })}</dl>`;
}

function renderAnswer(
  document: OpenApiDocument,
  status: string,
  { description, headers = {}, content = {} }: Answer,
): Html {
  const described = Object.entries(headers).map(
    ([name, header]) =>
      [
        name,
        '$ref' in header
          ? (document.components.headers[header.$ref.split('/').at(-1) ?? '']?.description ?? '')
          : header.description,
      ] as const,
  );
  return html`<details><summary><strong>${status}</strong> ${description.split('\n')[0]}</summary><div>
<dl>${description
    .split('\n\n')
    .slice(1)
    .map(
      (line) =>
        html`<dt><code>${line.split(': ')[0]}</code></dt><dd>${line.split(': ').slice(1).join(': ')}</dd>`,
    )}${described.map(([name, text]) => html`<dt><code>${name}</code> <span class="muted">header</span></dt><dd>${text}</dd>`)}</dl>
${renderContent(content)}</div></details>`;
}

/** Each body with its media types; equal ones are shown together. */
function renderContent(content: Content): Html[] {
  const bodies = Object.entries(content);
  const [first] = bodies;
  if (!first) return [];
  const [, { schema, example, examples }] = first;
  const shown = examples
    ? Object.values(examples)
    : example === undefined
      ? []
      : [{ summary: '', value: example }];
  return [
    html`<p>${bodies.map(([mediaType], index) => html`${index > 0 && ' or '}<code>${mediaType}</code>`)}</p>`,
    isSchema(schema['properties']) ? members(schema) : html`<p>${facts(schema)}</p>`,
    ...shown.map(
      ({ summary, value }) =>
        html`${summary && html`<p class="muted">${summary}</p>`}<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`,
    ),
  ];
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
