#!/usr/bin/env bash
# Starts the emulator, and gives its variables to the following steps of a job. EMULATOR_OPTIONS: input of the action.
set -euo pipefail

# The options may have several lines. read fails at the end of its input.
read -rd '' -a options <<<"$EMULATOR_OPTIONS" || true
ready=$(payctl emulate --detach --port 0 --json "${options[@]}")

field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$ready"
}

{
  echo "PAYCTL_BASE_URL=$(field base_url)"
  echo "PAYCTL_AUTH_URL=$(field auth_url)"
  echo "PAYCTL_CONTROL_URL=$(field control_url)"
  echo "PAYCTL_TOKEN=$(field token)"
  echo "PAYCTL_CLIENT_ID=$(field client_id)"
  echo "PAYCTL_CLIENT_SECRET=$(field client_secret)"
} >>"$GITHUB_ENV"
echo "base-url=$(field base_url)" >>"$GITHUB_OUTPUT"
echo "The emulator is on $(field base_url)"
