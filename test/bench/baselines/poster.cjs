/** undici posting the same body again and again, eight requests at a time: the upper limit of a webhook sender. */
'use strict'

const { Pool } = require('undici')

const [origin, count, body] = process.argv.slice(2)
const pool = new Pool(origin, { connections: 8 })
const headers = { 'Content-Type': 'application/json' }
let left = Number(count)

async function post() {
  while (left > 0) {
    left -= 1
    const answer = await pool.request({ method: 'POST', path: '/', headers, body })
    await answer.body.dump()
  }
}

Promise.all(Array.from({ length: 8 }, post)).then(() => pool.close())
