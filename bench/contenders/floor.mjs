// The floor: node:http, pg with named statements, JSON.stringify. Checks no session: the user comes in a header.
// FLOOR_TEXT=1 leaves timestamps as PostgreSQL prints them.
import { createServer } from 'node:http';
import pg from 'pg';
import { pageStatements, readPage, readViewers } from './feed-sql.mjs';

pg.types.setTypeParser(20, Number);
if (process.env.FLOOR_TEXT === '1') pg.types.setTypeParser(1184, (value) => value);
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  idleTimeoutMillis: 600_000,
});
const statementOf = pageStatements((name) => name);
const viewers = await readViewers(pool);

async function list(request, query) {
  const status = query.get('status');
  const { rows, cursor, hasMore } = await readPage(pool, statementOf, 'feed_key', {
    ...viewers.get(Number(request.headers['x-user'])),
    sort: query.get('sort_by'),
    statuses: status ? status.split(',') : null,
    after: query.get('starting_after'),
    limit: Number(query.get('limit')),
  });
  return JSON.stringify({
    status: 'OK',
    feed_details: rows,
    next_cursor: cursor,
    has_more: hasMore,
  });
}

const server = createServer((request, response) => {
  const mark = request.url.indexOf('?');
  list(request, new URLSearchParams(request.url.slice(mark + 1))).then(
    (body) => {
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    },
    (error) => {
      console.error(error);
      response.writeHead(500).end();
    },
  );
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
