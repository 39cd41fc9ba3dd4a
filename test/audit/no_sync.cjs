'use strict'
// Loaded before payctl: makes fsync fail, so that payctl can't force its writes to disk.

const fs = require('node:fs')

fs.fsyncSync = () => {
  throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', errno: -5, syscall: 'fsync' })
}
