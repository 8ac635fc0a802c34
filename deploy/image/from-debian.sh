#!/bin/sh
# Builds the image where no registry of images can be reached: the base is made of Debian's packages and of the Node that npm brings,
# then the Dockerfile is carried out as it is. As root, with debootstrap and buildah (Debian's packages of these names), in the
# repository: sh deploy/image/from-debian.sh
# Then: buildah from --name pixgate-try pixgate:debian && buildah run --isolation chroot pixgate-try -- node gateway/bin/pixgate.mjs --version
set -eu
suite=${PIXGATE_DEBIAN_SUITE:-bookworm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER="${STORAGE_DRIVER:-vfs}"

# What node:24-bookworm-slim has: Debian without documents, Node below /usr/local, and a user of the number 1000.
debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/root" >/dev/null
rm -rf "$work"/root/usr/share/doc "$work"/root/usr/share/man "$work"/root/usr/share/locale "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/*
node=$(node -p 'process.execPath')
cp "$node" "$work/root/usr/local/bin/node"
npm=$(dirname "$(readlink -f "$(command -v npm)")")/..
mkdir -p "$work/root/usr/local/lib/node_modules"
cp -r "$npm" "$work/root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
echo 'node:x:1000:1000::/home/node:/bin/sh' >> "$work/root/etc/passwd"
echo 'node:x:1000:' >> "$work/root/etc/group"
mkdir -p "$work/root/home/node" && chown 1000:1000 "$work/root/home/node"

base=$(buildah from scratch)
buildah copy --quiet "$base" "$work/root" / >/dev/null
buildah config --cmd node "$base"
buildah commit --quiet --rm "$base" pixgate-base:debian >/dev/null
# Where the machine's packages come from: its settings of npm, and the certificates that it trusts.
cat "$HOME/.npmrc" > "$work/npmrc" 2>/dev/null || true
echo "cafile=/etc/ssl/certs/ca-certificates.crt" >> "$work/npmrc"
buildah build --format docker --build-arg NODE=localhost/pixgate-base:debian \
  --volume "$work/npmrc:/root/.npmrc:ro" --volume /etc/ssl/certs:/etc/ssl/certs:ro --tag pixgate:debian .
buildah images --format '{{.Name}}:{{.Tag}} {{.Size}}' | grep debian
