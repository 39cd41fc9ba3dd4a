// commander starts subcommands that are separate programs by it. payctl has none, and node:child_process takes 3 ms to load.
export default {}
