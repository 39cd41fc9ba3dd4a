// What src/client/proxy.ts uses of undici, loaded when there is a proxy.
require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js')

module.exports = { ProxyAgent: require('undici/lib/dispatcher/proxy-agent.js') }
