'use strict'
// Loaded before payctl: simulates a machine on which the optional package of the keyring is not installed.

require('node:module').registerHooks({
  resolve(name, context, next) {
    if (name !== '@napi-rs/keyring') return next(name, context)
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
