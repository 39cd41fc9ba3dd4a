'use strict'
// Loaded before payctl: removes the item REMOVE_ITEM from the keyring, as the user can; then prints payctl's items.

const { Entry, findCredentials } = require('@napi-rs/keyring')

const item = process.env.REMOVE_ITEM
if (item) new Entry('payctl', item, { linux: { store: 'secret-service' } }).deleteCredential()
const names = findCredentials('payctl').map(({ account }) => account)
process.stdout.write(`${JSON.stringify(names)}\n`)
