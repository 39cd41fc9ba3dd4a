// The machine's timers and clock, for the library. It keeps those that exist when it is loaded, so that fake timers of a
// test runner do not stop it. It takes them from node:timers, which most fake timers leave alone and which has them under
// jsdom too.
const timers = require('node:timers')

// Under names that the build does not replace by those of this file.
const { performance: stopwatch, process: self } = globalThis

/** Sinon, Vitest and Jest add `clock`, Jest's older timers are mock functions, those of node:test have another name. */
const isFake = (timer, name) => timer.clock !== undefined || timer._isMockFunction === true || timer.name !== name

function timer(name) {
  const found = [timers[name], globalThis[name]].find((candidate) => candidate && !isFake(candidate, name))
  if (found) return found
  throw new Error('payctl was loaded while timers were fake, and would stand still with them. Load it before they are.')
}

/** Later in this turn, as process.nextTick and queueMicrotask do. */
const soon = (callback, ...args) => {
  Promise.resolve().then(() => callback(...args))
}

module.exports = {
  Date: isFake(globalThis.Date, 'Date') ? require('node:vm').runInNewContext('Date') : globalThis.Date,
  clearImmediate: timer('clearImmediate'),
  clearInterval: timer('clearInterval'),
  clearTimeout: timer('clearTimeout'),
  nextTick: isFake(self.nextTick, 'nextTick') ? soon : self.nextTick.bind(self),
  now: stopwatch.now.bind(stopwatch),
  queueMicrotask: isFake(globalThis.queueMicrotask, 'queueMicrotask') ? soon : globalThis.queueMicrotask,
  setImmediate: timer('setImmediate'),
  setInterval: timer('setInterval'),
  setTimeout: timer('setTimeout'),
}
