/** What follows the options in `payctl --help`. */
export const rootHelp = `
Environment (flags win):
  PAYCTL_BASE_URL       the service
  PAYCTL_AUTH_URL       its OAuth server
  PAYCTL_TOKEN          access token
  PAYCTL_CLIENT_ID      OAuth client of payctl login
  PAYCTL_CLIENT_SECRET  its secret
  PAYCTL_PROFILE        profile to use
  PAYCTL_FX_PROVIDER    upstream rate provider in its path
  PAYCTL_OUTPUT         output format
  PAYCTL_CONTROL_TOKEN  for an emulator that has one
  PAYCTL_CONFIG_DIR     profiles and credentials
  PAYCTL_STATE_DIR      running emulators and payment intents
  BROWSER               command that payctl login opens
  HTTPS_PROXY           proxy, but for the hosts in NO_PROXY
  NO_COLOR              no colours

Examples:
  $ payctl emulate                          run the service on this machine
  $ payctl --emulator accounts list         in another terminal
  $ payctl emulate -- npm test              run a suite against it
  $ payctl accounts list --json             data for a script
  $ payctl doctor                           is everything in order?
  $ payctl help payments send               help on one command
  $ payctl help exit-codes                  what an exit code means`
