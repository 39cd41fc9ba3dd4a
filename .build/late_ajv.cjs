// The emulator compiles a schema when a request first needs it: until then ajv, which takes 7 ms, need not be there.
module.exports = {
  get Ajv() {
    return require('ajv').Ajv
  },
}
