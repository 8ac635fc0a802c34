# syntax=docker/dockerfile:1
# The gateway alone: PostgreSQL is a server of yours (compose.yaml has one), and the simulator is not in it.
# For repeatable builds pin the base by its digest, with --build-arg NODE=node:24-bookworm-slim@sha256:…; deploy/pin-images.sh writes
# it for compose.yaml.
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS manifests
WORKDIR /pixgate
COPY package.json package-lock.json ./
COPY embedded-postgres/package.json embedded-postgres/
COPY gateway/package.json gateway/
COPY psp-simulator/package.json psp-simulator/
COPY conformance/package.json conformance/
COPY mcp/package.json mcp/
COPY traces/package.json traces/
COPY sdk/package.json sdk/
COPY console/package.json console/

FROM manifests AS packages
# Whether the image can send traces: docker build --build-arg TRACES=yes. Without it 20 MB of OpenTelemetry are left out.
ARG TRACES=
# The optional packages are Node and PostgreSQL for machines that lack them. No package runs a script.
RUN npm ci --workspace gateway ${TRACES:+--workspace @pixgate/traces} --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM manifests AS console
RUN npm ci --workspace @pixgate/console --include-workspace-root=false --ignore-scripts --no-audit --no-fund
COPY sdk/src sdk/src
COPY console console
RUN node console/build.ts

FROM ${NODE}
LABEL org.opencontainers.image.title="Pixgate" \
      org.opencontainers.image.description="A self-hosted PIX payment gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    PIXGATE_ENV=production \
    PIXGATE_HOST=0.0.0.0 \
    PIXGATE_PORT=8080 \
    PIXGATE_DATA_DIR=/data
WORKDIR /pixgate
COPY --from=packages /pixgate/node_modules node_modules
COPY package.json LICENSE ./
COPY embedded-postgres/package.json embedded-postgres/
COPY embedded-postgres/src embedded-postgres/src
COPY gateway/package.json gateway/
COPY gateway/bin gateway/bin
COPY gateway/src gateway/src
# What the command line is made of: the SDK as it is, and the documents of both APIs.
COPY sdk/package.json sdk/
COPY sdk/src sdk/src
COPY openapi openapi
# Its files alone: the packages that build them are not in the image.
COPY --from=console /pixgate/console/dist console/dist
# Nothing is kept in it: in production every state is in the database.
RUN mkdir --mode=0700 /data && chown node:node /data
VOLUME /data
# As a number, so that runAsNonRoot of Kubernetes can check it.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# That the process answers. Whether it should be sent traffic is /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PIXGATE_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# New objects get half of the space that V8 would take, and old ones are collected sooner: 274 MB under load (docs/decisions/0016-starting.md).
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=150", "gateway/bin/pixgate.mjs"]
CMD ["serve"]
