import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { ConfigError } from '../../core/context/config.ts';

/** Documents by the SHA-256 of their text, in lower-case hexadecimal. */
export type TrustedDocuments = ReadonlyMap<string, string>;

const manifest = z.record(z.string(), z.string());

/**
 * Reads a folder of `*.graphql` files, or a JSON file of SHA-256 → document as GraphQL Code Generator writes it. Throws
 * ConfigError when nothing is found or a digest is wrong.
 */
export function loadTrustedDocuments(path: string): TrustedDocuments {
  try {
    if (statSync(path).isDirectory()) {
      const files = readdirSync(path).filter((name) => name.endsWith('.graphql'));
      return new Map(
        files
          .map((name) => readFileSync(join(path, name), 'utf8'))
          .map((text) => [digest(text), text]),
      );
    }
    const documents = new Map(
      Object.entries(manifest.parse(JSON.parse(readFileSync(path, 'utf8')))).map(([hash, text]) => [
        hash.toLowerCase(),
        text,
      ]),
    );
    for (const [hash, text] of documents)
      if (digest(text) !== hash) throw new Error(`${hash} is not the SHA-256 of its document`);
    return documents;
  } catch (error) {
    throw new ConfigError(
      `TRUSTED_DOCUMENTS: expected a folder of .graphql files or a JSON file of SHA-256 and document (${error instanceof z.ZodError ? 'not an object of texts' : String(error)})`,
    );
  }
}

/**
 * Runs only these documents: by `documentId` (`sha256:<hex>`), by `extensions.persistedQuery.sha256Hash`, or by their
 * exact text.
 */
export function useTrustedDocuments(documents: TrustedDocuments): Plugin {
  const texts = new Set(documents.values());
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
  return documents.get(digestOf(params) ?? '');
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

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function refusal(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { spec: true, status: 400 } } });
}
