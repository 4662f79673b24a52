// For Prisma's command line, which is not installed here: npx prisma@7.10.0 migrate status
export default {
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
};
