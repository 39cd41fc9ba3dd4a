// fastify can serve HTTP/2, which the emulator never does: node:http2 takes 5 ms at every start.
module.exports = {
  createServer: (...args) => require('node:http2').createServer(...args),
  createSecureServer: (...args) => require('node:http2').createSecureServer(...args),
}
