// node:timers/promises for the library, as it is when it is loaded: fake timers of a test runner may replace what the
// module has.
const { setImmediate, setTimeout } = require('node:timers/promises')

module.exports = { setImmediate, setTimeout }
