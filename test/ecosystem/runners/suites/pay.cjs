/** A payment from its start to its end, in any world. Returns the id of the payment. */
exports.pay = async function pay({ client, accounts, control, until }, key = 'order-1') {
  const [account] = accounts()
  const { id } = await client.call('payments.create', {
    headers: { 'X-Idempotency-Key': key },
    body: { source_account_id: account.id, recipient_phone: '87000001', amount: 1000 },
  })
  await control.clock.advance({ ms: 60_000 })
  await until.payment(id, 'completed')
  return id
}

/**
 * Facts that every runner must see: two worlds share nothing, and errors are of the classes that the package exports.
 */
exports.check = async function check(emulator, { ApiError, ControlRefusal }) {
  const [one, other] = await Promise.all([emulator.world(), emulator.world()])
  await exports.pay(one)
  const { data } = await other.client.call('payments.history')
  const missing = await one.client.call('payments.get', { params: { id: '0' } }).catch((error) => error)
  await Promise.all([one.close(), other.close()])
  const ended = await one.control.state().catch((error) => error)
  return [data.length, missing instanceof ApiError, ended instanceof ControlRefusal, ended.status].join(' ')
}

exports.seen = '0 true true 410'
