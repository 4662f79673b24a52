# The gateway as it runs in production: what is compiled, its production dependencies, a user without rights.
ARG BASE=node:24-slim
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json codegen.ts schema.graphql ./
COPY prisma prisma
COPY scripts scripts
COPY src src
COPY test/client test/client
# Prisma's client names the compiler as an optional peer: npm keeps it as long as it is among the development dependencies.
RUN npm run -s build && npm pkg delete devDependencies overrides.openapi-typescript \
  && npm prune --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund \
  && find node_modules -name '*.sh' -delete

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/prisma/migrations prisma/migrations
COPY --from=build /app/dist dist
COPY bin bin
RUN ln -s /app/bin/trivium.js /usr/local/bin/trivium && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}${process.env.BASE_PATH ?? ''}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# New objects get as much memory as in Node 20; from Node 24 on it would be four times that, to no use here.
CMD ["node", "--max-semi-space-size=16", "dist/main.js"]
