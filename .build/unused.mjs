// Replaces modules that commander needs only for subcommands that are separate programs. payctl has none.
export default {}
