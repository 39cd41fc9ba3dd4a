// fastify compares versions only for plugins that name the fastify they need, and the emulator has none: 3 ms at every start.
module.exports = {
  coerce: (...args) => require('semver').coerce(...args),
  gt: (...args) => require('semver').gt(...args),
  satisfies: (...args) => require('semver').satisfies(...args),
}
