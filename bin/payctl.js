#!/usr/bin/env node
// Written in old syntax, so that even the oldest Node reaches the version check.
'use strict'

var fs = require('fs')
var path = require('path')

var HOME = path.dirname(__dirname)
// Reading package.json with require() would take twice as long.
var manifest = JSON.parse(fs.readFileSync(path.join(HOME, 'package.json'), 'utf8'))
var BUNDLE = path.join(HOME, 'dist', 'cli', 'main.cjs')
var SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/**
 * Milliseconds after a SIGINT in which another SIGINT does not count as a second Ctrl-C. One Ctrl-C arrives twice if a
 * parent (npx, or this file on an old Node) passes on a signal that the terminal has also sent to this process.
 */
var ECHO_MS = 250

/** Environment variable that marks a payctl started by this file on another Node. */
var LAUNCHED = 'PAYCTL_LAUNCHED'

/** True if a version is in a range, written as in this package's `engines`: `^a.b.c` and `>=a.b.c`, joined by `||`. */
function satisfies(version, range) {
  var have = version.split('.').map(Number)
  return range.split(' || ').some(function (part) {
    var least = part.replace(/^\D+/, '').split('.').map(Number)
    if (part.charAt(0) === '^' && have[0] !== least[0]) return false
    for (var i = 0; i < least.length; i++) {
      if (have[i] !== least[i]) return have[i] > least[i]
    }
    return true
  })
}

function refuse(line) {
  console.error('payctl: ' + line)
  process.exitCode = 2
}

function refuseNode() {
  var needed = manifest.engines.node.replace(/\^(\d+)\.(\S+)/g, '$1.$2+').replace(/>=(\d+)\S*/, '$1+')
  refuse(
    'this is Node ' +
      process.versions.node +
      ' and payctl needs ' +
      needed.split(' || ').join(', ') +
      '. Install one of these; in a checkout, npm ci does.'
  )
}

/**
 * Path of the Node that `npm ci` installs in a checkout; null if there is none, or if this process already runs on it.
 */
function pinnedNode() {
  var name = process.platform === 'win32' ? 'node.exe' : 'node'
  var file = path.join(HOME, 'node_modules', 'node', 'bin', name)
  return fs.existsSync(file) && fs.realpathSync(file) !== process.execPath ? file : null
}

function runOn(node) {
  process.env[LAUNCHED] = '1'
  var child = require('child_process').spawn(node, [__filename].concat(process.argv.slice(2)), {
    // Nothing is sent over the channel. It closes when this process is killed, so the child learns that this process
    // has ended.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  SIGNALS.forEach(function (name) {
    process.on(name, function () {
      child.kill(name)
    })
  })
  child.on('error', refuseNode)
  child.on('exit', function (code, signal) {
    if (!signal) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Writes to the file descriptor, because opening the standard streams takes longer than the rest of this file. */
function printVersion() {
  try {
    fs.writeSync(1, manifest.version + '\n')
  } catch (error) {
    if (error.code !== 'EPIPE') refuse("the version can't be written: " + error.message)
  }
}

/** Milliseconds to wait, after a signal, for the reader of a pipe to read the rest of the output. */
var PATIENCE_MS = 1000

/**
 * Aborts the controller on a signal; a second Ctrl-C ends the process at once. For a command that must end its own
 * processes, each later signal becomes a `further` event of the abort signal, and a second Ctrl-C becomes a `further`
 * event with SIGKILL.
 */
function watchSignals(controller) {
  var interrupted = 0
  function further(name) {
    controller.signal.dispatchEvent(new CustomEvent('further', { detail: name }))
  }
  SIGNALS.forEach(function (name) {
    process.on(name, function () {
      if (name === 'SIGINT') {
        if (interrupted && Date.now() - interrupted > ECHO_MS) {
          further('SIGKILL')
          exit(130)
        }
        interrupted = interrupted || Date.now()
      } else if (controller.signal.aborted) further(name)
      controller.abort(name)
    })
  })
}

/** Aborts if the launcher was killed: nothing else would end this process. */
function watchLauncher(controller) {
  if (!process.env[LAUNCHED] || !process.channel) return
  delete process.env[LAUNCHED] // the command of `payctl emulate` must not inherit the variable
  process.on('disconnect', function () {
    controller.abort('SIGTERM')
  })
  process.channel.unref()
}

/**
 * File whose modification time identifies the build, because each new build replaces the file. Files inside a single
 * executable have no modification times.
 */
function replaceable() {
  return require('node:sea').isSea() ? process.execPath : BUNDLE
}

function run() {
  require('./compile_cache.js').enable(replaceable(), manifest.version)
  var controller = new AbortController()
  watchSignals(controller)
  watchLauncher(controller)
  var payctl
  try {
    payctl = require(BUNDLE)
  } catch (error) {
    return abandon(error)
  }
  var io = {
    get stdin() {
      return process.stdin
    },
    stdout: standardOutput(),
    stderr: process.stderr,
  }
  process.once('beforeExit', endWithoutResult)
  payctl
    .main(process.argv.slice(2), process.env, io, controller.signal)
    .then(function (code) {
      process.removeListener('beforeExit', endWithoutResult)
      process.exitCode = code
      leave(io, code, controller.signal)
    })
    .catch(abandon)
}

/** Node's own stream for a file reports no error if only part of a text could be written, as on a full disk. */
function standardOutput() {
  return fs.fstatSync(1).isFile() ? fs.createWriteStream('', { fd: 1, autoClose: false }) : process.stdout
}

/** Called if not even the error report can be loaded: an upgrade has replaced or removed the files of this process. */
function abandon(error) {
  console.error('payctl: ' + (error && error.message ? error.message.split('\n')[0] : error))
  process.exit(1)
}

/** Called if nothing is left to wait for, but main has not returned: a bug, perhaps after a payment was sent. */
function endWithoutResult() {
  console.error(
    'payctl: the run ended without a result. If it was about to send money, money may have moved: payctl payments outbox'
  )
  process.exit(10)
}

/** Ends the process once all output has been written. */
function leave(io, code, signal) {
  function hurry() {
    setTimeout(exit, PATIENCE_MS, code)
  }
  if (signal.aborted) hurry()
  else signal.onabort = hurry
  io.stdout.write('', function () {
    io.stderr.write('', function () {
      exit(code)
    })
  })
}

/**
 * On exit, Node waits for pending name lookups, which can't be cancelled. If no name server answers, this wait lasts at
 * least ten seconds, whatever --timeout says. Replacing the process with another program avoids this wait.
 */
function exit(code) {
  var isLookingUp = process.getActiveResourcesInfo().indexOf('GetAddrInfoReqWrap') !== -1
  if (isLookingUp && process.platform !== 'win32' && fs.existsSync('/bin/sh')) {
    process.execve('/bin/sh', ['sh', '-c', 'exit ' + Number(code)], {})
  }
  process.exit(code)
}

function start() {
  if (!satisfies(process.versions.node, manifest.engines.node)) {
    var pinned = pinnedNode()
    if (pinned) runOn(pinned)
    else refuseNode()
  } else if (process.argv.length === 3 && process.argv[2] === '--version') printVersion()
  else if (fs.existsSync(BUNDLE)) run()
  else refuse('not built yet. Run npm ci, or npm run build, in ' + HOME)
}

start()
