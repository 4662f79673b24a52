// Mercurius with its jit, rows straight from pg. MERCURIUS_TUNED=1: timestamps stay the text that PostgreSQL prints.
import fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import pg from 'pg';
import * as mixed from './mixed-sql.mjs';
import { camelCase, fields, pageStatements, readPage, readViewers } from './feed-sql.mjs';

const tuned = process.env.MERCURIUS_TUNED === '1';
pg.types.setTypeParser(20, Number);
if (tuned) pg.types.setTypeParser(1184, (value) => value);
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  idleTimeoutMillis: 600_000,
});
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
  type Count { priority: Int! count: Int! }
  type Query {
    feeds(user: Int!, sort: String!, statuses: [String!], first: Int!, after: String): FeedPage!
    changed(user: Int!, since: String!): [Feed!]!
    calendar(user: Int!, from: String!, to: String!): [Feed!]!
    counts(user: Int!): [Count!]!
  }
  type Mutation {
    setPinned(user: Int!, feedKey: Float!, pinned: Boolean!): Boolean!
    setStatus(user: Int!, feedKey: Float!, status: String!): Boolean!
    createTask(user: Int!, name: String!): Boolean!
  }
`;
const columns = mixed.columnsAs(camelCase);
const run = async (name, text, values) => (await pool.query({ name, text, values })).rows;
const wrote = async (...statement) => (await run(...statement)).length > 0;
const placeOf = (user) => {
  const { unit, homeDepts } = viewers.get(user);
  return [user, unit, homeDepts];
};
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
    changed: (_, { user, since }) =>
      run('changed', mixed.changed(columns), [...placeOf(user), since]),
    calendar: (_, { user, from, to }) =>
      run('calendar', mixed.calendar(columns), [...placeOf(user), from, to]),
    counts: (_, { user }) => run('counts', mixed.counts, placeOf(user).slice(1)),
  },
  Mutation: {
    setPinned: (_, { user, feedKey, pinned }) =>
      wrote('setPinned', mixed.setPinned, [user, viewers.get(user).unit, feedKey, pinned]),
    setStatus: (_, { user, feedKey, status }) =>
      wrote('setStatus', mixed.setStatus, [viewers.get(user).unit, feedKey, status]),
    createTask: (_, { user, name }) => wrote('createTask', mixed.createTask, [user, name]),
  },
};

const app = fastify();
app.register(mercurius, { schema, resolvers, jit: 1, graphiql: false });
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening on ${app.server.address().port}`);
