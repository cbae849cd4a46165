# Renovate pins these images by digest and updates them.
# renovate: datasource=docker depName=node
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim
# renovate: datasource=docker depName=debian
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

# Builds on the machine's own platform. The result contains the native libraries of the target platform.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
ARG TARGETARCH
# Time of the commit in seconds: the date of the build and of the manual pages. Without it, the date of the build is now.
ARG SOURCE_DATE_EPOCH
# Without it, the commit is the one of .git/HEAD.
ARG REVISION
WORKDIR /build
COPY . .
RUN DOCKBELL_BUILD_COMMIT="${REVISION}" npm pack --loglevel=error \
    && case "${TARGETARCH:-$(dpkg --print-architecture)}" in amd64) cpu=x64 ;; *) cpu=arm64 ;; esac \
    && node scripts/release/assemble-tree.mjs dockbell-*.tgz "linux-${cpu}" /opt/dockbell

FROM ${NODE_IMAGE} AS node

FROM ${BASE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Dockbell" \
      org.opencontainers.image.description="A GitOps reconciler and a durable webhook ingress." \
      org.opencontainers.image.url="https://github.com/dockbell/dockbell" \
      org.opencontainers.image.source="https://github.com/dockbell/dockbell" \
      org.opencontainers.image.documentation="https://github.com/dockbell/dockbell/tree/main/docs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git libstdc++6 openssh-client tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/* \
    && groupadd --gid 10001 dockbell \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/dockbell --no-create-home --shell /usr/sbin/nologin dockbell \
    && install -d -m 0700 -o 10001 -g 10001 /var/lib/dockbell
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/dockbell /opt/dockbell
RUN ln -s /opt/dockbell/bin/dockbell /usr/local/bin/dockbell

# A container has its own network, so both listeners accept connections from outside it. Publish the admin port on loopback only.
ENV DOCKBELL_DATA_DIR=/var/lib/dockbell \
    DOCKBELL_INGRESS_HOST=0.0.0.0 \
    DOCKBELL_ADMIN_HOST=0.0.0.0 \
    HOME=/var/lib/dockbell \
    MALLOC_ARENA_MAX=2
USER 10001:10001
WORKDIR /var/lib/dockbell
VOLUME /var/lib/dockbell
EXPOSE 8787 8788
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.DOCKBELL_INGRESS_PORT || 8787}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# As process 1, tini forwards signals to the daemon and reaps the processes that runs leave behind.
ENTRYPOINT ["/usr/bin/tini", "--", "dockbell"]
CMD ["serve", "--config", "/etc/dockbell/dockbell.yaml"]
