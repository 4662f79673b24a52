// Mercurius with its jit, rows straight from pg. MERCURIUS_TUNED=1: timestamps stay the text that PostgreSQL prints.
import fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import pg from 'pg';
import { camelCase, fields, pageStatements, readPage, readViewers } from './feed-sql.mjs';

const tuned = process.env.MERCURIUS_TUNED === '1';
pg.types.setTypeParser(20, Number);
if (tuned) pg.types.setTypeParser(1184, (value) => value);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const statementOf = pageStatements(camelCase);
const viewers = await readViewers(pool);

const time = tuned ? 'String' : 'DateTime';
const types = {
  feed_key: 'Float!',
  feed_title: 'String!',
  status: 'String!',
  priority: 'Int',
  task_count: 'Int!',
  overdue_task_count: 'Int!',
  panel_config: 'JSON',
  start_date_time: time,
  end_date_time: time,
  display_launch_date: time,
  create_dtm: time,
  last_updated_time: time,
};
const typeOf = (name) =>
  types[name] ??
  (/^(pin|favorite_flag|acknowledged_flag|future_feed|is_|has_|enable_)/.test(name)
    ? 'Boolean!'
    : 'String');
const schema = `
  scalar DateTime
  scalar JSON
  type Feed { ${Object.keys(fields)
    .map((name) => `${camelCase(name)}: ${typeOf(name)}`)
    .join('\n')} }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type FeedPage { nodes: [Feed!]! pageInfo: PageInfo! }
  type Query { feeds(user: Int!, sort: String!, statuses: [String!], first: Int!, after: String): FeedPage! }
`;
const resolvers = {
  DateTime: new GraphQLScalarType({ name: 'DateTime', serialize: (value) => value.toISOString() }),
  JSON: new GraphQLScalarType({ name: 'JSON', serialize: (value) => value }),
  Query: {
    async feeds(_, { user, sort, statuses, first, after }) {
      const { rows, cursor, hasMore } = await readPage(pool, statementOf, 'feedKey', {
        ...viewers.get(user),
        sort,
        statuses,
        after,
        limit: first,
      });
      return { nodes: rows, pageInfo: { hasNextPage: hasMore, endCursor: cursor } };
    },
  },
};

const app = fastify();
app.register(mercurius, { schema, resolvers, jit: 1, graphiql: false });
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${app.server.address().port}`);
