// node:timers/promises for the library, as it is when it is loaded: fake timers of a test runner may replace what the
// module has.
const { setTimeout } = require('node:timers/promises')

module.exports = { setTimeout }
