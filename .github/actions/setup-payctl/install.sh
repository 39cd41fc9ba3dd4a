#!/usr/bin/env bash
# Installs payctl for the following steps of a job. VERSION, RELEASES, ALLOWED_SIGNERS: inputs of the action.
set -euo pipefail

fail() {
  echo "::error::$1"
  exit 1
}

[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "'$VERSION' is not a version of payctl."

suffix=
case $RUNNER_OS-$RUNNER_ARCH in
  Linux-X64) platform=linux-x64 ;;
  Linux-ARM64) platform=linux-arm64 ;;
  macOS-ARM64) platform=darwin-arm64 ;;
  macOS-X64) platform=darwin-x64 ;;
  Windows-X64) platform=win-x64 suffix=.exe ;;
  *) fail "There is no payctl for $RUNNER_OS $RUNNER_ARCH." ;;
esac
file=payctl-$VERSION-$platform$suffix

folder=$RUNNER_TEMP/payctl-$VERSION
rm -rf "$folder"
mkdir -p "$folder/bin"
cd "$folder"

download() {
  curl --fail --silent --show-error --location --retry 3 --output "$1" "${RELEASES//\{version\}/$VERSION}/$1" ||
    fail "$1 of payctl $VERSION can't be downloaded."
}

# On macOS, shasum has the function of sha256sum.
check() {
  if command -v sha256sum >/dev/null; then sha256sum --check --status "$1"; else shasum -a 256 --check --status "$1"; fi
}

download SHA256SUMS
download SHA256SUMS.sig
printf '%s\n' "$ALLOWED_SIGNERS" >allowed_signers
ssh-keygen -Y verify -q -f allowed_signers -I payctl -n payctl-release -s SHA256SUMS.sig <SHA256SUMS ||
  fail "No allowed signer has signed SHA256SUMS of payctl $VERSION."
awk -v file="$file" '$2 == file' SHA256SUMS >digest
[[ -s digest ]] || fail "SHA256SUMS of payctl $VERSION has no $file."
download "$file"
check digest || fail "$file differs from its signed digest."

mv "$file" "bin/payctl$suffix"
chmod +x "bin/payctl$suffix"
# macOS runs only signed programs on Apple silicon.
if [[ $RUNNER_OS == macOS ]]; then codesign --force --sign - bin/payctl; fi
echo "$folder/bin" >>"$GITHUB_PATH"
echo "Installed payctl $("bin/payctl$suffix" --version)"
