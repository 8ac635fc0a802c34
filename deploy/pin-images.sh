#!/bin/sh
# Writes the base images of compose.yaml into .env, each with its digest: what is run changes only when this is run again.
#   sh deploy/pin-images.sh [FILE]      in the repository; needs docker with buildx, and its registry. FILE: .env when left out
# Another tag: POSTGRES=postgres:18.1-bookworm sh deploy/pin-images.sh
set -eu
umask 077
file=${1:-.env}

# Prints VARIABLE=IMAGE@DIGEST; fails when the registry reports no digest.
pin() {
  digest=$(docker buildx imagetools inspect "$2" --format '{{.Manifest.Digest}}')
  if ! echo "$digest" | grep -Eqx 'sha256:[0-9a-f]{64}'; then
    echo "pin-images: the registry reports no digest of $2; $file is unchanged" >&2
    exit 1
  fi
  echo "$1=$2@$digest"
}

postgres=$(pin PIXGATE_POSTGRES_IMAGE "${POSTGRES:-postgres:18-bookworm}")
node=$(pin PIXGATE_NODE_IMAGE "${NODE:-node:24-bookworm-slim}")
touch "$file"
{ grep -Ev '^PIXGATE_(POSTGRES|NODE)_IMAGE=' "$file" || true; } > "$file.new"
printf '%s\n%s\n' "$postgres" "$node" >> "$file.new"
mv "$file.new" "$file"
printf '%s\n%s\n' "$postgres" "$node"
