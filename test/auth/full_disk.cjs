'use strict'
// Loaded before payctl: every write to a file fails, except to stdout and stderr.

const fs = require('node:fs')

const { writeSync } = fs
fs.writeSync = (fd, ...rest) => {
  if (fd <= 2) return writeSync(fd, ...rest)
  const error = new Error('ENOSPC: no space left on device, write')
  throw Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: 'write' })
}
