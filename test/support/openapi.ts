import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument, Operation } from '../../src/server/openapi/document.ts';
import type { RestAnswer } from './app.ts';

/** Checks answers against an OpenAPI document. */
export interface Checker {
  /** What is wrong with an answer: an undocumented path, status, media type or body. Empty when nothing is. */
  faults(method: string, path: string, answer: RestAnswer): string[];
  /** What is wrong with a value where a JSON pointer into the document has its schema. */
  valueFaults(pointer: readonly string[], value: unknown): string[];
  /** The operations that were answered with success, by id. */
  readonly seen: ReadonlySet<string>;
}

export function checkerOf(document: OpenApiDocument): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();
  const seen = new Set<string>();
  const templates = Object.keys(document.paths).sort(
    (a, b) => a.split('{').length - b.split('{').length,
  );
  const valueFaults: Checker['valueFaults'] = (pointer, value) => {
    const reference = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, validate);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return {
    seen,
    valueFaults,
    faults(method, path, answer) {
      const [pathname = ''] = path.split('?');
      const template = templates.find((one) =>
        new RegExp(`^${one.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(
          pathname,
        ),
      );
      const operation: Operation | undefined =
        template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
      if (template === undefined || !operation) return [`${method} ${pathname} is not documented`];
      const documented = operation.responses[String(answer.status)];
      if (!documented)
        return [`${operation.operationId}: status ${answer.status} is not documented`];
      const [mediaType = ''] = (answer.headers.get('content-type') ?? '').split(';');
      const content = Object.keys(documented.content ?? {});
      const fitting = content.find(
        (one) =>
          one === mediaType || (one.endsWith('/*') && mediaType.startsWith(one.slice(0, -1))),
      );
      if (content.length > 0 && fitting === undefined)
        return [
          `${operation.operationId} ${answer.status}: media type ${mediaType} is not documented`,
        ];
      if (answer.status < 300) seen.add(operation.operationId);
      if (fitting !== 'application/json' && fitting?.endsWith('+json') !== true) return [];
      return valueFaults(
        [
          'paths',
          template,
          method.toLowerCase(),
          'responses',
          String(answer.status),
          'content',
          fitting,
          'schema',
        ],
        answer.json,
      ).map((fault) => `${operation.operationId} ${answer.status}: ${fault}`);
    },
  };
}
