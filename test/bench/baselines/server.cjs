/**
 * A baseline for the emulator: only node:http and better-sqlite3, in plain JavaScript. Prints its port when it listens.
 * With the emulator's own data file, GET returns one payment by a prepared SELECT, and POST runs the five statements of
 * a payment in one transaction.
 */
'use strict'

const http = require('node:http')
const Database = require('better-sqlite3')

const [file = ':memory:', port = '0'] = process.argv.slice(2)
const db = new Database(file)
const answer = file === ':memory:' ? () => [200, null] : payments()

const server = http.createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    const [status, data] = answer(request, text)
    const body = JSON.stringify({ success: true, message: 'ok', data })
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`)
})

function payments() {
  db.pragma('locking_mode = EXCLUSIVE')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  const model = db.prepare('SELECT * FROM payments LIMIT 1').get()
  const columns = Object.keys(model)
  const byId = db.prepare('SELECT * FROM payments WHERE id = ?')
  const seen = db.prepare('SELECT id FROM payments WHERE user = ? AND idempotency_key = ?')
  const balance = db.prepare('SELECT balance FROM ledger_accounts WHERE id = ?')
  const recipient = db.prepare('SELECT * FROM registry WHERE address = ?')
  const insert = db.prepare(`INSERT INTO payments (${columns}) VALUES (${columns.map(() => '?')})`)
  const entries = db.prepare(
    `INSERT INTO ledger_entries (payment_seq, movement, ledger_account, amount, created_at)
     VALUES (?, 'hold', ?, ?, ?), (?, 'hold', ?, ?, ?)`,
  )
  let seq = db.prepare('SELECT max(seq) FROM payments').pluck().get()

  const pay = db.transaction(({ amount, recipient_phone }, key) => {
    if (seen.get(1, key)) throw new Error('seen')
    if (balance.get(1) < amount) throw new Error('broke')
    const payee = recipient.get(recipient_phone)
    seq += 1
    const now = Date.now()
    const id = `01900000-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`
    const payment = {
      ...model,
      seq,
      position: seq,
      kind_position: seq,
      payee_position: seq,
      id,
      idempotency_key: key,
      amount,
      payee_name: payee.name,
      created_at: now,
    }
    insert.run(...columns.map((column) => payment[column]))
    entries.run(seq, 1, -amount, now, seq, 2, amount, now)
    return payment
  })

  return (request, text) => {
    if (request.method === 'GET') return [200, byId.get(request.url.slice(-36))]
    return [201, pay(JSON.parse(text), request.headers['x-idempotency-key'])]
  }
}
