'use strict'
// Loaded before payctl. Records, in order, the sent requests, the journal's marks before each request, and SQLite's
// level of safety for each commit.

const fs = require('node:fs')
const Module = require('node:module')
const net = require('node:net')

const steps = []

const load = Module._load
Module._load = function (id, ...rest) {
  const loaded = load.call(this, id, ...rest)
  if (id === 'better-sqlite3' && !loaded.watched) {
    loaded.watched = true
    const prepare = loaded.prototype.prepare
    loaded.prototype.prepare = function (sql) {
      const statement = prepare.call(this, sql)
      if (!/UPDATE intents SET status = 'sent'/.test(sql)) return statement
      const get = statement.get
      statement.get = (bounds) => {
        const [synchronous, mode] = ['synchronous', 'journal_mode'].map((name) => this.pragma(name, { simple: true }))
        steps.push({ marked: bounds.id, synchronous, mode })
        return get.call(statement, bounds)
      }
      return statement
    }
  }
  return loaded
}

const write = net.Socket.prototype.write
net.Socket.prototype.write = function (chunk, ...rest) {
  const [, key] = /^POST \/api\/payments HTTP[\s\S]*x-idempotency-key: (\S+)/i.exec(String(chunk)) ?? []
  if (key) steps.push({ left: key })
  return write.call(this, chunk, ...rest)
}

process.on('exit', () => fs.writeFileSync(process.env.STEPS_FILE, JSON.stringify(steps)))
