// undici asserts at every step; node:assert, which takes 1.5 ms to load, is only needed to fail.
module.exports = (ok, message) => {
  if (!ok) require('node:assert')(ok, message)
}
