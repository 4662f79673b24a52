import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GraphQLError, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import * as z from 'zod';
import { ConfigError } from '../../core/context/config.ts';
import type { Log } from '../../core/log.ts';
import { refusal } from './limits/refusal.ts';

export interface TrustedDocument {
  text: string;
  /** Where it comes from: its file, its digest, or the name of its operation. */
  name: string;
}

/** Documents by the SHA-256 of their text, in lower-case hexadecimal. */
export type TrustedDocuments = ReadonlyMap<string, TrustedDocument>;

/** As written by GraphQL Code Generator and Relay. */
const byDigest = z.record(z.string(), z.string());
/** As written by `@apollo/generate-persisted-query-manifest`. */
const ofApollo = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string(), name: z.string(), body: z.string() })),
});

/**
 * Reads the `*.graphql` files of a folder and of those in it, or a JSON file: SHA-256 → document, or Apollo's manifest. Without a
 * path, any document may be run. Throws ConfigError when nothing is found or a digest is wrong.
 */
export function loadTrustedDocuments(path: string | undefined): TrustedDocuments | undefined {
  if (path === undefined) return undefined;
  try {
    return statSync(path).isDirectory() ? readFolder(path) : readManifest(path);
  } catch (error) {
    throw new ConfigError(
      `TRUSTED_DOCUMENTS: expected a folder of .graphql files, or a JSON file of SHA-256 and document or of Apollo (${error instanceof z.ZodError ? 'not an object of texts' : String(error)})`,
    );
  }
}

function readFolder(path: string): TrustedDocuments {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.graphql'),
  );
  if (names.length === 0) throw new Error('it has no .graphql file');
  return new Map(
    names.map((name) => {
      const text = readFileSync(join(path, name), 'utf8');
      return [hash('sha256', text), { text, name }];
    }),
  );
}

function readManifest(path: string): TrustedDocuments {
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const apollo = ofApollo.safeParse(content).data;
  const listed = apollo
    ? apollo.operations.map(({ id, name, body }) => ({ id, name, text: body }))
    : Object.entries(byDigest.parse(content)).map(([id, text]) => ({ id, name: id, text }));
  return new Map(
    listed.map(({ id, name, text }) => {
      const found = hash('sha256', text);
      if (id.toLowerCase() !== found) throw new Error(`${id} is not the SHA-256 of its document`);
      return [found, { text, name }];
    }),
  );
}

/** The first two steps of each request, with its limits. */
interface Steps {
  parse(text: string): DocumentNode;
  validate(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[];
  schema: GraphQLSchema;
}

/** Logs which of the documents the schema or a limit refuses: after an upgrade, say. */
export function checkTrustedDocuments(
  documents: TrustedDocuments,
  steps: Steps,
  log: Pick<Log, 'warn'>,
): void {
  for (const { text, name } of documents.values()) {
    const errors = refusalsOf(() => steps.validate(steps.schema, steps.parse(text)));
    if (errors.length > 0)
      log.warn({ document: name, errors }, 'a trusted document can not be run');
  }
}

function refusalsOf(check: () => readonly GraphQLError[]): string[] {
  try {
    return check().map(({ message }) => message);
  } catch (error) {
    return [error instanceof GraphQLError ? error.message : String(error)];
  }
}

/**
 * Runs only these documents: by `documentId` (`sha256:<hex>`), by `extensions.persistedQuery.sha256Hash`, or by their
 * exact text.
 */
export function useTrustedDocuments(documents: TrustedDocuments): Plugin {
  const texts = new Set([...documents.values()].map(({ text }) => text));
  return {
    onParams({ params, setParams }) {
      if (typeof params.query === 'string' || digestOf(params) === undefined) return;
      const query = namedText(documents, params);
      if (query === undefined)
        throw refusal('No trusted document has this digest', 'DOCUMENT_NOT_FOUND');
      setParams({ ...params, query });
    },
    onParse({ params: { source } }) {
      if (!texts.has(String(source)))
        throw refusal('Only trusted documents run here', 'UNTRUSTED_DOCUMENT');
    },
  };
}

/** The text of the document that a request names by its digest; undefined if it names none of these. */
export function namedText(documents: TrustedDocuments, params: Naming): string | undefined {
  return documents.get(digestOf(params) ?? '')?.text;
}

/** The members of a request that may name a document. */
interface Naming {
  extensions?: unknown;
  documentId?: unknown;
}

const naming = z.object({ persistedQuery: z.object({ sha256Hash: z.string() }) });

function digestOf({ extensions, documentId }: Naming): string | undefined {
  const id =
    typeof documentId === 'string'
      ? documentId.replace(/^sha256:/, '')
      : naming.safeParse(extensions).data?.persistedQuery.sha256Hash;
  return id?.toLowerCase();
}
