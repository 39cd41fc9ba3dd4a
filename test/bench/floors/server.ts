/**
 * The floor under the emulator: node:http, better-sqlite3 and nothing else. Prints its port when it listens.
 * GET answers one row by a prepared SELECT; POST runs the five statements a payment needs, in a transaction of its own.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const http = process.getBuiltinModule('node:http')
const Database = require('better-sqlite3')

const [file = ':memory:', port = '0'] = process.argv.slice(2)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.exec(`
  CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, account INTEGER, amount INTEGER,
    status TEXT, channel TEXT, payee TEXT, name TEXT, document TEXT, description TEXT, created_at INTEGER);
  CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, payment TEXT, account INTEGER, amount INTEGER);
  INSERT OR IGNORE INTO accounts VALUES (1, 1000000000000), (2, 0);
`)
const seen = db.prepare('SELECT id FROM payments WHERE key = ?')
const account = db.prepare('SELECT id, balance FROM accounts WHERE id = ?')
const insert = db.prepare('INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
const entries = db.prepare('INSERT INTO entries (payment, account, amount) VALUES (?, ?, ?), (?, ?, ?)')
const move = db.prepare('UPDATE accounts SET balance = balance + CASE id WHEN ? THEN ? ELSE ? END WHERE id IN (?, ?)')
const byId = db.prepare('SELECT * FROM payments WHERE id = ?')

let sequence = Date.now()
const nextId = () => `01900000-0000-7000-8000-${(sequence++).toString(16).padStart(12, '0')}`
const sample = nextId()
insert.run(sample, sample, 1, 100, 'completed', 'pin', 'CR05015202001026284066', 'Ana', '0304930258', 'PIN transfer', 1)

const pay = db.transaction((body: { amount: number; recipient_iban: string }, key: string) => {
  if (seen.get(key)) throw new Error('seen')
  const { balance } = account.get(1)
  if (balance < body.amount) throw new Error('broke')
  const id = nextId()
  insert.run(id, key, 1, body.amount, 'pending', 'pin', body.recipient_iban, 'Ana', '0304930258', 'PIN transfer', 1)
  entries.run(id, 1, -body.amount, id, 2, body.amount)
  move.run(1, -body.amount, body.amount, 1, 2)
  return id
})

const server = http.createServer((request, response) => {
  if (request.method === 'GET') return answer(200, byId.get(request.url?.slice(-36)) ?? null)
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => answer(201, { id: pay(JSON.parse(text), String(request.headers['x-idempotency-key'])) }))

  function answer(status: number, data: unknown) {
    const body = JSON.stringify({ success: true, message: 'ok', data })
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  }
})
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' && address?.port, sample })}\n`)
})
