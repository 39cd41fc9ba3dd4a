// What payctl uses of undici. Its own index loads fetch, the caches, the mocks and the proxies as well: 30 ms at every start.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js')
const Agent = require('undici/lib/dispatcher/agent.js')
const Pool = require('undici/lib/dispatcher/pool.js')
const buildConnector = require('undici/lib/core/connect.js')

Dispatcher.prototype.request = require('undici/lib/api/api-request.js')

module.exports = { Agent, buildConnector, Dispatcher, Pool }
