// PostGraphile 5 over a function that PostgreSQL inlines, so that its connection orders, filters and cuts in the database. Needs Node ≥ 22.
import { createServer } from 'node:http';
import pg from 'pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { makePgService } from 'postgraphile/adaptors/pg';
import { postgraphile } from 'postgraphile';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import * as mixed from './mixed-sql.mjs';
import { fields, statusFilter } from './feed-sql.mjs';

const SCHEMA = 'bench_postgraphile';
// The key comes from the list, so that a cursor's condition is met there and not after the join.
const columns = Object.entries({ ...fields, feed_key: 'l.feed_key' })
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ');
const page = `SELECT ${columns}, l.end_sort, l.priority_sort, l.start_sort FROM feed_listing l JOIN feed f ON f.feed_key = l.feed_key`;
const all = `${columns}, l.end_sort, l.priority_sort, l.start_sort`;
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query(`
  DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE;
  CREATE SCHEMA ${SCHEMA};
  CREATE VIEW ${SCHEMA}.feed AS ${page} LEFT JOIN feed_user_state s ON false WHERE l.list = 50;
  COMMENT ON VIEW ${SCHEMA}.feed IS E'@primaryKey feed_key';
  CREATE FUNCTION ${SCHEMA}.viewer_feeds(viewer int, unit int, home_depts int[], statuses text[] DEFAULT NULL)
  RETURNS SETOF ${SCHEMA}.feed LANGUAGE sql STABLE AS $$
    ${page} LEFT JOIN feed_user_state s ON s.user_id = viewer AND s.feed_key = l.feed_key
    WHERE l.list = 50 AND l.subject_id = unit AND (l.confidential_dept IS NULL OR l.confidential_dept = ANY (home_depts))
      AND (statuses IS NULL OR ${statusFilter('statuses', "'O' = ANY (statuses)")}) $$;
  CREATE FUNCTION ${SCHEMA}.changed(viewer int, unit int, home_depts int[], since timestamptz) RETURNS SETOF ${SCHEMA}.feed LANGUAGE sql STABLE AS $$ ${mixed.changed(all)} $$;
  CREATE FUNCTION ${SCHEMA}.calendar(viewer int, unit int, home_depts int[], since timestamptz, until timestamptz) RETURNS SETOF ${SCHEMA}.feed LANGUAGE sql STABLE AS $$ ${mixed.calendar(all)} $$;
  CREATE TYPE ${SCHEMA}.priority_count AS (priority int, count int);
  CREATE FUNCTION ${SCHEMA}.counts(unit int, home_depts int[]) RETURNS SETOF ${SCHEMA}.priority_count LANGUAGE sql STABLE AS $$ ${mixed.counts} $$;
  CREATE FUNCTION ${SCHEMA}.set_pinned(viewer int, unit int, feed bigint, pinned boolean) RETURNS boolean LANGUAGE sql VOLATILE AS $$ ${mixed.setPinned} $$;
  CREATE FUNCTION ${SCHEMA}.set_status(unit int, feed bigint, status text) RETURNS boolean LANGUAGE sql VOLATILE AS $$ ${mixed.setStatus} $$;
  CREATE FUNCTION ${SCHEMA}.create_task(viewer int, name text) RETURNS boolean LANGUAGE sql VOLATILE AS $$ ${mixed.createTask} $$;
  COMMENT ON FUNCTION ${SCHEMA}.viewer_feeds(int, int, int[], text[]) IS E'@behavior +order';
`);
await client.end();

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: [SCHEMA],
      poolConfig: { max: 10, idleTimeoutMillis: 600_000 },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});
const served = instance.createServ(grafserv);
const server = createServer();
await served.addTo(server);
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
