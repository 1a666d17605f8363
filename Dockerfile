# One image for every service: SERVICES chooses. Nothing but the console is compiled, for Node runs the TypeScript as it is.
ARG NODE=24.21.0-bookworm-slim

FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages bring Node 24 to where an older one is installed (ADR 7); here it is.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The console is made by packages for development, which stay here.
FROM node:${NODE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY services services
RUN node services/gateway/pages/make-console.ts

FROM node:${NODE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Slotwise" \
      org.opencontainers.image.description="A scheduling and booking API that never overbooks and never loses an acknowledged booking." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim"
# What installs packages has nothing to do here. /data is for the embedded form; a cluster's process writes no file.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
 && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -o 10001 -g 10001 -m 700 /data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=console /app/node_modules/.cache/slotwise-console node_modules/.cache/slotwise-console
COPY package.json main.js main.ts moleculer.config.ts ./
COPY shared shared
COPY services services
COPY ops ops
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "shared/process/healthcheck.ts"]
CMD ["node", "main.js"]
