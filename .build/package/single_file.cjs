'use strict'

// The main script of the single file. Node runs it from a read-only file system inside the executable, which contains
// the files of the package beside this script. Node knows this file system only in the main thread, and treats the path
// of a script as an ordinary argument. payctl runs other files of its package in two ways: in a new process that gets
// the path of a script, and in a thread. This script makes both ways work as with an installed Node.

const { join, sep } = require('node:path')
const threads = require('node:worker_threads')

const isOwn = (file) => typeof file === 'string' && file.startsWith(__dirname + sep)

/**
 * Replaces `fs.writev`, which throws in Node 26.10 if there is a file system inside the executable. A stream to a file
 * calls `fs.writev` when several chunks are waiting, as in `payctl accounts list >file`.
 */
function replaceWritev() {
  const fs = require('node:fs')
  fs.writev = (fd, buffers, position, callback) => {
    const whole = Buffer.concat(buffers)
    const done = (error, written) => (callback ?? position)(error, written, buffers)
    fs.write(fd, whole, 0, whole.length, typeof position === 'number' ? position : null, done)
  }
}

/** True for files that threads load: the program and its packages, but not, for example, the emulator's page. */
const isOfThreads = (name) => /^(dist\/cli|node_modules)\//.test(name)

/** Runs in a thread: makes the files available under the paths that they have in the main thread, then runs `file`. */
function runInThread(root, file, names) {
  const { getRawAsset } = require('node:sea')
  const { posix } = require('node:path')
  const files = require('node:vfs').create()
  for (const name of names) {
    files.mkdirSync(posix.dirname(`/${name}`), { recursive: true })
    files.writeFileSync(`/${name}`, Buffer.from(getRawAsset(name)))
  }
  files.mount()
  if (files.mountPoint !== root) throw new Error(`The files of this thread are in ${files.mountPoint}, not in ${root}.`)
  require(file)
}

/** Constructor arguments of a thread that runs a file inside the executable. */
function inside(file, options) {
  const names = require('node:sea').getAssetKeys().filter(isOfThreads)
  const script = `(${replaceWritev})();(${runInThread})(${[__dirname, file, names].map((value) => JSON.stringify(value))})`
  return [script, { ...options, eval: true, execArgv: ['--experimental-vfs', '--disable-warning=ExperimentalWarning'] }]
}

replaceWritev()

const { Worker } = threads

threads.Worker = class extends Worker {
  constructor(file, options) {
    super(...(isOwn(file) ? inside(file, options) : [file, options]))
  }
}

const file = process.argv[2]
// Only payctl passes a path like this, because no real file can have it.
if (isOwn(file)) process.argv.splice(2, 1)
require(isOwn(file) ? file : join(__dirname, 'bin', 'payctl.js'))
