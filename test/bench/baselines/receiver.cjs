/**
 * Receives deliveries and reports their times. POST counts a delivery. GET returns the number of deliveries with the
 * first and last time, in epoch milliseconds; GET /each returns all times by webhook id. DELETE forgets all deliveries.
 */
'use strict'

const http = require('node:http')

let times = []
let each = {}
const server = http.createServer((request, response) => {
  const now = performance.timeOrigin + performance.now()
  if (request.method === 'POST') {
    times.push(now)
    each[request.headers['x-webhook-id']] = now
  }
  if (request.method === 'DELETE') {
    times = []
    each = {}
  }
  request.resume()
  request.on('end', () => {
    const body = request.method === 'GET' ? JSON.stringify(report(request.url)) : ''
    response.writeHead(200, { 'Content-Length': body.length })
    response.end(body)
  })
})
const report = (url) => (url === '/each' ? each : { count: times.length, first: times[0], last: times.at(-1) })

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`)
})
