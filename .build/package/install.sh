#!/bin/sh
# Installs payctl from this folder: sh install.sh [prefix], by default ~/.local.
# Removes it again: sh install.sh --remove [prefix].
set -eu

remove=
if [ "${1:-}" = --remove ]; then
  remove=1
  shift
fi
prefix=${1:-${PREFIX:-$HOME/.local}}
if [ $# -gt 1 ] || [ "${prefix#-}" != "$prefix" ]; then
  echo 'Usage: sh install.sh [--remove] [prefix]' >&2
  exit 2
fi
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
cd "$(dirname "$0")"

# On macOS, shasum has the function of sha256sum.
check() {
  if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi
}

if ! check SHA256SUMS >/dev/null; then
  echo 'The files differ from the digests in SHA256SUMS. Nothing was changed. Download the archive again.' >&2
  exit 1
fi

while read -r _ path; do
  if [ -n "$remove" ]; then
    rm -f "$prefix/$path"
    continue
  fi
  mkdir -p "$prefix/$(dirname "$path")"
  # A running payctl keeps the old file: the new file gets its name in one step.
  cp "$path" "$prefix/$path.new"
  mv -f "$prefix/$path.new" "$prefix/$path"
done <SHA256SUMS

if [ -n "$remove" ]; then
  rmdir "$prefix/share/doc/payctl" 2>/dev/null || true
  echo "Removed payctl from $prefix"
  exit
fi
echo "Installed $("$prefix/bin/payctl" --version | sed 's/^/payctl /') in $prefix"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
