'use strict'
// Loaded before payctl: makes every write to a file fail. Writes to stdout and stderr still work.

const fs = require('node:fs')

const { writeSync } = fs
fs.writeSync = (fd, ...rest) => {
  if (fd <= 2) return writeSync(fd, ...rest)
  const error = new Error('ENOSPC: no space left on device, write')
  throw Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: 'write' })
}
