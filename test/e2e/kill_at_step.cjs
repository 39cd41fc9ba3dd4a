'use strict'
// Loaded before payctl: kills the process at its nth step. A step has an effect outside the process's memory: a
// statement of the journal, a write to a socket, a chunk that arrives on a socket, a line on stdout. Each step counts
// twice: before and after its effect.

const net = require('node:net')
const fs = require('node:fs')
const Module = require('node:module')

const last = Number(process.env.KILL_AT_STEP)
let steps = 0

function step() {
  steps += 1
  if (steps === last) process.kill(process.pid, 'SIGKILL')
}

function around(object, name) {
  const original = object[name]
  object[name] = function (...args) {
    step()
    const result = original.apply(this, args)
    step()
    return result
  }
}

around(net.Socket.prototype, 'connect')
around(net.Socket.prototype, 'write')
around(net.Socket.prototype, 'push')
around(fs, 'writeSync')

const load = Module._load
Module._load = function (id, ...rest) {
  const loaded = load.call(this, id, ...rest)
  if (id === 'better-sqlite3' && !loaded.stepped) {
    loaded.stepped = true
    around(loaded.prototype, 'exec')
    around(loaded.prototype, 'pragma')
    const prepare = loaded.prototype.prepare
    loaded.prototype.prepare = function (...args) {
      const statement = prepare.apply(this, args)
      for (const verb of ['run', 'get', 'all']) around(statement, verb)
      return statement
    }
  }
  return loaded
}
