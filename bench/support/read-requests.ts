import { readFileSync } from 'node:fs';

/** A request as a reader of the documents sends it. */
export interface Asked {
  name: string;
  /** Path and query. */
  path: string;
  /** Of a POST; else it is a GET. */
  body?: string;
}

/** Signs in with the demo's first login. */
export async function signInOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'associate', password: 'demo' }),
  });
  return ((await answer.json()) as { token: string }).token;
}

/** The curl lines and GraphQL documents of a page, and the paths that it names in a sentence. Streams, which never end, are left out. */
export function readmeRequests(file: string): Asked[] {
  const text = readFileSync(file, 'utf8');
  const asked: Asked[] = [];
  for (const [, language = '', block = ''] of text.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    if (language === 'graphql')
      asked.push({
        name: block.replace(/\s+/g, ' ').slice(0, 90),
        path: '/graphql',
        body: JSON.stringify({ query: block }),
      });
    if (language === 'sh') asked.push(...block.replaceAll('\\\n', ' ').split('\n').flatMap(ofCurl));
  }
  for (const [, path = ''] of text.matchAll(/`GET (\/[^`{}…\s]*\?[^`{}…\s]*)`/g))
    asked.push({ name: path.slice(0, 90), path });
  return asked;
}

function ofCurl(line: string): Asked[] {
  const [, path] = /http:\/\/127\.0\.0\.1:4000(\/[^"'\s]*)/.exec(line) ?? [];
  if (!line.startsWith('curl') || path === undefined || /curl -N/.test(line)) return [];
  const [, body] = /-d '([^']*)'/.exec(line) ?? [];
  return [{ name: path.slice(0, 90), path, ...(body !== undefined && { body }) }];
}

/** What GraphiQL opens with, and the examples of /explain with the page that explains each. */
export async function tabsOf(url: string): Promise<Asked[]> {
  const page = async (path: string): Promise<string> =>
    (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
  const tabs = [
    ...(await page('/graphql')).matchAll(
      /"query":("(?:[^"\\]|\\.)*")(?:,"variables":("(?:[^"\\]|\\.)*"))?/g,
    ),
  ].map(([, query = '""', variables = '"{}"']) => ({
    query: JSON.parse(query) as string,
    variables: JSON.parse(JSON.parse(variables) as string) as unknown,
  }));
  const examples = [...(await page('/explain')).matchAll(/href="([^"]*\/explain\?url=([^"]*))"/g)];
  if (tabs.length === 0 || examples.length === 0) throw new Error('the pages have no examples');
  return [
    ...tabs.map((tab) => ({
      name: `GraphiQL: ${tab.query.split('\n')[0] ?? ''}`,
      path: '/graphql',
      body: JSON.stringify(tab),
    })),
    ...examples.flatMap(([, shown = '', example = '']) => {
      const path = decodeURIComponent(example).replace(/^https?:\/\/[^/]*/, '');
      return [
        { name: `/explain of ${path.slice(0, 80)}`, path: shown },
        ...(path.startsWith('/') ? [{ name: path.slice(0, 90), path }] : []),
      ];
    }),
  ];
}
