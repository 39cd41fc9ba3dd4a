// fastify can serve HTTPS, which the emulator never does: node:https takes 2 ms at every start.
module.exports = { createServer: (...args) => require('node:https').createServer(...args) }
