// HTTP/2 is loaded when a server first negotiates it: node:http2 takes 5 ms at every start.
module.exports = (...args) => require('undici/lib/dispatcher/client-h2.js')(...args)
