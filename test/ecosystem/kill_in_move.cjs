'use strict'
// Loaded before payctl: kills the process at its nth step. A step is a change of the keyring or of a file's name, and
// counts twice: before and after.

const fs = require('node:fs')
const { AsyncEntry } = require('@napi-rs/keyring')

const last = Number(process.env.KILL_AT_STEP)
let steps = 0

function step() {
  steps += 1
  if (steps === last) process.kill(process.pid, 'SIGKILL')
}

for (const name of ['setSecret', 'deleteCredential']) {
  const original = AsyncEntry.prototype[name]
  AsyncEntry.prototype[name] = async function (...args) {
    step()
    const result = await original.apply(this, args)
    step()
    return result
  }
}

const { renameSync } = fs
fs.renameSync = (...args) => {
  step()
  renameSync(...args)
  step()
}
require('node:module').syncBuiltinESMExports()
