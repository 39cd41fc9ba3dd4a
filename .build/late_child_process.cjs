// commander starts programs only for subcommands in files of their own: node:child_process takes 2 ms at every start.
module.exports = { spawn: (...args) => require('node:child_process').spawn(...args) }
