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
# Types, maps and texts for people: 19 MB that no program reads.
RUN find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) ! -iname 'licen[cs]e*' -delete

FROM manifests AS console
RUN npm ci --workspace @pixgate/console --include-workspace-root=false --ignore-scripts --no-audit --no-fund
COPY sdk/src sdk/src
COPY console console
RUN node console/build.ts

# Node, the libraries that it loads, and nothing else of Debian: no shell, no package manager, 100 MB less. Who scans the image for
# known faults reads in dpkg's status what is in it.
FROM ${NODE} AS runtime
RUN set -eu; node=$(command -v node); mkdir -p /out/usr/local/bin /out/etc/ssl /out/var/lib/dpkg; \
  cp "$node" /out/usr/local/bin/node; \
  ldd "$node" | grep -o '/[^ ]*' | xargs cp --parents --dereference --target-directory=/out; \
  cp /etc/os-release /out/etc/; \
  dpkg-query --status libc6 libgcc-s1 libstdc++6 > /out/var/lib/dpkg/status; \
  echo 'pixgate:x:1000:1000::/data:/usr/sbin/nologin' > /out/etc/passwd; echo 'pixgate:x:1000:' > /out/etc/group; \
  install -d -m 1777 /out/tmp; install -d -m 0700 -o 1000 -g 1000 /out/data

FROM scratch
COPY --from=runtime /out /
LABEL org.opencontainers.image.title="Pixgate" \
      org.opencontainers.image.description="A self-hosted PIX payment gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
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
