// In the place of modules that commander loads for subcommands that are programs of their own. payctl has none.
export default {}
