'use strict'
// Loaded before payctl: the disk has room for half of the first outcome, for none of the second, and then for all.

const fs = require('node:fs')

const { writeSync } = fs
let outcomes = 0

fs.writeSync = (descriptor, bytes, ...rest) => {
  if (!Buffer.isBuffer(bytes) || !bytes.includes('"event":"outcome"')) return writeSync(descriptor, bytes, ...rest)
  outcomes += 1
  if (outcomes === 1) return writeSync(descriptor, bytes.subarray(0, bytes.length >> 1))
  if (outcomes > 2) return writeSync(descriptor, bytes, ...rest)
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  })
}
