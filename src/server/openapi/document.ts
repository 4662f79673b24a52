import type { JsonSchema } from './schema-components.ts';

/** The parts of an OpenAPI 3.1 document that this gateway uses. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: readonly object[];
  tags: readonly { name: string; description: string }[];
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    securitySchemes: Record<string, SecurityScheme>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
  };
}

export interface SecurityScheme {
  type: string;
  in?: string;
  name?: string;
  scheme?: string;
  description: string;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: string;
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

export interface Header {
  description: string;
  schema: JsonSchema;
}

/** By media type. */
export type Content = Record<
  string,
  {
    schema: JsonSchema;
    example?: unknown;
    examples?: Record<string, { summary: string; value: unknown }>;
  }
>;

export interface Answer {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Content;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  tags: readonly string[];
  security: readonly Record<string, never[]>[];
  parameters: readonly (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Content };
  /** By status. */
  responses: Record<string, Answer>;
}
