import { hash } from 'node:crypto'
import { demo } from '../../emulator/worlds/seed.ts'
import { buildIban, eventNames, worldFile } from '../../src/contract/index.ts'
import type { FixedValues } from './fixed_values.ts'
import type { Recorder } from './recorder.ts'

const nowhere = '01900000-0000-7000-8000-00000000ffff'
const broken = '{"amount": 1500'

/** Records a session that controls the emulator, once the service session has made payments. */
export async function steer(recorder: Recorder, fixed: FixedValues): Promise<void> {
  await credit(recorder)
  await drive(recorder)
  await moveClock(recorder)
  await waitFor(recorder)
  await assertWhatCame(recorder)
  await setRails(recorder)
  await keepRegistry(recorder)
  await keepFaults(recorder)
  await keepUsers(recorder, fixed)
  await readDeliveries(recorder)
  await lookBack(recorder)
  await keepMoments(recorder)
  await openPage(recorder, fixed)
  await makeWorlds(recorder)
  await keepInFiles(recorder, fixed)
  await recorder.call('control.health', { headers: { Host: 'emulator.example' }, status: 421 })
  for (const id of ['control.health', 'control.state', 'control.ledger', 'control.reset'] as const) {
    await recorder.call(id)
  }
  await recorder.call('control.health', { query: { ready: 'perhaps' }, status: 422 })
  await recorder.call('control.metrics')
  await recorder.call('control.identity', { query: { challenge: 'made-up-for-this-one-time' } })
  await recorder.call('control.identity', { query: { challenge: 'too short' }, status: 422 })
  await recorder.call('control.state', { headers: { Origin: 'https://payctl.example' }, status: 403 })
}

async function openPage(recorder: Recorder, fixed: FixedValues): Promise<void> {
  const made = await recorder.call('control.page.code')
  const { code, expires_at } = made.body.data
  fixed.replace(code, 'one-time-code-of-page1')
  fixed.replace(expires_at, '2026-01-05T15:01:00.000000Z')
  const id = 'control.page.enter'
  await recorder.call(id, { body: { code } })
  await recorder.call(id, { body: { code }, status: 409 })
  await recorder.call(id, { body: { code: 'x'.repeat(22) }, status: 404 })
  await recorder.call(id, { body: { code: 'short' }, status: 422 })
  await recorder.call(id, { body: broken, status: 400 })
}

async function credit(recorder: Recorder): Promise<void> {
  const id = 'control.credits.create'
  const body = { to: '88001234', amount: 150_025, from_phone: '87000001', description: 'Alquiler de enero' }
  await recorder.call(id, { name: 'toPhone', body })
  const from_iban = buildIban('152', '00100000000002')
  await recorder.call(id, { name: 'toAccount', body: { to: demo.accounts[0].id, amount: 2_000_000, from_iban } })
  await recorder.call(id, { body: { ...body, to: '89999999' }, status: 422 })
  await recorder.call(id, { body: broken, status: 400 })
  await recorder.call('control.rails.set', { body: { sinpe_movil: 'offline' } })
  await recorder.call(id, { body, status: 409 })
  await recorder.call('control.rails.set', { body: { sinpe_movil: 'online' } })
  await scheduleCredits(recorder)
}

async function scheduleCredits(recorder: Recorder): Promise<void> {
  const [id, cancel] = ['control.credits.schedule', 'control.credits.cancel'] as const
  const body = { to: '88001234', amount: 150_025, after_ms: 7_200_000, sinpe_reference: '2026010537083000000000961' }
  const later = await recorder.call(id, { body })
  await recorder.call(id, { body, status: 422 })
  await recorder.call(id, { body: broken, status: 400 })
  const { data } = (await recorder.call(id, { body: { to: '88001234', amount: 500, after_ms: 0 }, isExample: false }))
    .body
  await recorder.call('control.clock.advance', { body: { ms: 0 }, isExample: false })
  await recorder.call('control.credits.list')
  await recorder.call('control.credits.list', { query: { per_page: 0 }, status: 422 })
  await recorder.call(cancel, { params: { id: later.body.data.id } })
  await recorder.call(cancel, { params: { id: data.id }, status: 409 })
  await recorder.call(cancel, { params: { id: nowhere }, status: 404 })
  await recorder.call(cancel, { params: { id: '42' }, status: 422 })
}

async function drive(recorder: Recorder): Promise<void> {
  const [account] = demo.accounts
  const [id, source_account_id] = ['control.payments.move', account.id] as const
  const made = await recorder.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'renta-2026-01' },
    body: { source_account_id, amount: 400_000, recipient_phone: '87000001' },
    isExample: false,
  })
  const params = { id: made.body.data.id }
  await readPayments(recorder, params)
  await recorder.call(id, { name: 'later', params, body: { to: 'completed', after_ms: 7_200_000 } })
  await recorder.call(id, { params, body: { to: 'completed', state_code: 'rejected' }, status: 422 })
  await recorder.call(id, { name: 'now', params, body: { to: 'failed', state_code: 'account_closed' } })
  await recorder.call(id, { params, body: { to: 'completed' }, status: 409 })
  await recorder.call(id, { params: { id: nowhere }, body: { to: 'completed' }, status: 404 })
  await recorder.call(id, { params, body: broken, status: 400 })

  const back = 'control.payments.return'
  const sent = await recorder.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'renta-2026-02' },
    body: { source_account_id, amount: 400_000, recipient_phone: '87000001' },
    isExample: false,
  })
  const completed = sent.body.data
  await recorder.call(id, { params: { id: completed.id }, body: { to: 'completed' }, isExample: false })
  await recorder.call(back, { params: { id: completed.id } })
  await recorder.call(back, { params: { id: completed.id }, status: 409 })
  await recorder.call(back, { params: { id: nowhere }, status: 404 })
  await recorder.call(back, { params: { id: '42' }, status: 422 })

  const own = { params: { id: source_account_id } }
  const { data } = (await recorder.call('control.accounts.get', own)).body
  await recorder.call('control.accounts.set', { ...own, name: 'inactive', body: { status: 'inactive' } })
  const balance = data.balance.value
  await recorder.call('control.accounts.set', { ...own, name: 'balance', body: { status: 'active', balance } })
  await recorder.call('control.accounts.set', { ...own, body: { balance: -1 }, status: 422 })
  await recorder.call('control.accounts.set', { ...own, body: broken, status: 400 })
  await recorder.call('control.accounts.get', { params: { id: '42' }, status: 422 })
  for (const account of ['control.accounts.get', 'control.accounts.set'] as const) {
    const body = account === 'control.accounts.set' ? { body: {} } : {}
    await recorder.call(account, { params: { id: nowhere }, ...body, status: 404 })
  }

  const { limit } = (await recorder.call('control.rateLimit.get')).body.data
  await recorder.call('control.rateLimit.set', { name: 'off', body: { limit: null } })
  await recorder.call('control.rateLimit.set', { body: { exhausted: true }, status: 409 })
  await recorder.call('control.rateLimit.set', { body: { limit: 0 }, status: 422 })
  await recorder.call('control.rateLimit.set', { body: broken, status: 400 })
  await recorder.call('control.rateLimit.set', { name: 'exhausted', body: { limit, exhausted: true } })
  await recorder.call('control.rateLimit.set', { body: { exhausted: false }, isExample: false })
  await recorder.call('control.deliverySettings.get')
  await recorder.call('control.deliverySettings.set', {
    name: 'plain',
    body: { plain: true, signature_header: 'X-Signature' },
  })
  await recorder.call('control.deliverySettings.set', { body: { plain: 1 }, status: 422 })
  await recorder.call('control.deliverySettings.set', { body: broken, status: 400 })
  await recorder.call('control.deliverySettings.set', {
    body: { plain: false, signature_header: null },
    isExample: false,
  })
}

async function readPayments(recorder: Recorder, params: { readonly id: string }): Promise<void> {
  const [list, get] = ['control.payments.list', 'control.payments.get'] as const
  await recorder.call(list, { query: { status: 'pending,processing', text: 'renta-2026', per_page: 5 } })
  await recorder.call(list, { query: { status: 'paid' }, status: 422 })
  await recorder.call('control.accounts.list', { query: { per_page: 2 } })
  await recorder.call('control.subscriptions.list', { query: { per_page: 2 } })
  await recorder.call('control.subscriptions.list', { query: { per_page: 0 }, status: 422 })
  await recorder.call('control.accounts.list', { query: { per_page: 0 }, status: 422 })
  await recorder.call(get, { params })
  await recorder.call(get, { params: { id: nowhere }, status: 404 })
  await recorder.call(get, { params: { id: '42' }, status: 422 })
  await recorder.call('control.find', { query: { id: 'renta-2026-01' } })
  await recorder.call('control.find', { query: { id: '' }, status: 422 })
}

async function moveClock(recorder: Recorder): Promise<void> {
  await recorder.call('control.clock.advance', { body: { ms: 60_000 } })
  await recorder.call('control.clock.advance', { body: { ms: -1 }, status: 422 })
  await recorder.call('control.clock.advance', { body: broken, status: 400 })
  await recorder.call('control.clock.set', { body: { time: '2026-01-06T06:00:00-06:00' } })
  await recorder.call('control.clock.set', { body: { time: '2025-12-31T00:00:00Z' }, status: 422 })
  await recorder.call('control.clock.set', { body: broken, status: 400 })
  await recorder.call('control.clock.runUntilIdle', { body: { ms: 3_600_000, delivery_timeout_ms: 200 } })
  await recorder.call('control.clock.runUntilIdle', { body: { ms: -1 }, status: 422 })
  await recorder.call('control.clock.speed', { body: { speed: 60 } })
  await recorder.call('control.clock.speed', { body: { speed: 0 }, status: 422 })
  await recorder.call('control.clock.speed', { body: { speed: 1 }, isExample: false })
  await recorder.call('control.clock.at', { body: { time: '2026-01-06T18:00:00-06:00' } })
  await recorder.call('control.clock.at', { body: { time: '2025-12-31T00:00:00Z' }, status: 422 })
  for (const id of ['control.clock.runUntilIdle', 'control.clock.speed', 'control.clock.at'] as const) {
    await recorder.call(id, { body: broken, status: 400 })
  }
  await recorder.call('control.clock.freeze')
  await recorder.call('control.clock.get')
  await recorder.call('control.clock.unfreeze')
}

async function waitFor(recorder: Recorder): Promise<void> {
  const id = 'control.wait'
  const { data } = (await recorder.call('payments.history', { query: { per_page: 1 }, isExample: false })).body.data
  const [payment, status] = [data[0].id, data[0].status]
  await recorder.call(id, { name: 'payment', body: { payment, status, timeout_ms: 10_000 } })
  await recorder.call(id, { name: 'deliveries', body: { deliveries: 1, event: 'payment.completed' } })
  await recorder.call(id, { name: 'requests', body: { requests: 1, endpoint: 'payments.create' } })
  await recorder.call(id, { name: 'noMoreRequests', body: { max_requests: 100, timeout_ms: 0 } })
  await recorder.call(id, { name: 'idle', body: { idle: true } })
  await recorder.call(id, { body: { deliveries: 1_000_000, timeout_ms: 0 }, status: 409 })
  await recorder.call(id, { body: { payment: nowhere, status }, status: 404 })
  await recorder.call(id, { body: { idle: true, deliveries: 1 }, status: 422 })
  await recorder.call(id, { body: broken, status: 400 })
}

async function assertWhatCame(recorder: Recorder): Promise<void> {
  const bodies = {
    received: [
      { name: 'holds', body: { endpoint: 'payments.create', key: 'almuerzo-0042', body: { amount: 500_000 } } },
      {
        name: 'fails',
        body: { endpoint: 'payments.create', times: 1, key: 'almuerzo-0042', body: { amount: 600_000 } },
      },
    ],
    delivered: [{ body: { event: 'payment.completed' } }],
    paid: [{ body: { payee: '87000002', amount: 500_000, currency: 'CRC' } }],
  }
  for (const kind of ['received', 'delivered', 'paid'] as const) {
    const id = `control.assertions.${kind}` as const
    for (const call of bodies[kind]) await recorder.call(id, call)
    await recorder.call(id, { body: { times: -1 }, status: 422 })
    await recorder.call(id, { body: broken, status: 400 })
  }
  await recorder.call('control.assertions.balanced')
  await recorder.call('control.breaches')
  await recorder.call('control.story')
}

async function setRails(recorder: Recorder): Promise<void> {
  await recorder.call('control.rails.get')
  await recorder.call('control.rails.set', { body: { pin: 'broken' }, status: 422 })
  await recorder.call('control.fees.get')
  await recorder.call('control.fees.set', { body: { pin: 250 } })
  await recorder.call('control.fees.set', { body: { pin: -1 }, status: 422 })
  await recorder.call('control.limits.get')
  const sinpe_movil = { payment: 10_000_000, day: 20_000_000 }
  await recorder.call('control.limits.set', { name: 'on', body: { sinpe_movil } })
  await recorder.call('control.limits.set', { body: { sinpe_movil: { day: 0 } }, status: 422 })
  const off = { sinpe_movil: { payment: null, day: null } }
  await recorder.call('control.limits.set', { name: 'off', body: off })
  await recorder.call('control.fx.get')
  await recorder.call('control.fx.set', { name: 'fixed', body: { bid: 500, ask: 510, spread: 0.004 } })
  await recorder.call('control.fx.set', { body: { bid: 0 }, status: 422 })
  for (const id of ['control.rails.set', 'control.fees.set', 'control.limits.set', 'control.fx.set'] as const) {
    await recorder.call(id, { body: broken, status: 400 })
  }
}

async function keepRegistry(recorder: Recorder): Promise<void> {
  await recorder.call('control.scenarios')
  const body = { phone: '71112222', name: 'Beatriz Solís Arce', document_number: '0109990888', outcome: 'timeout' }
  await recorder.call('control.registry.add', { body })
  await recorder.call('control.registry.add', { body, status: 409 })
  await recorder.call('control.registry.add', { body: { ...body, phone: '911' }, status: 422 })
  await recorder.call('control.registry.add', { body: broken, status: 400 })
  await recorder.call('control.registry.list')
  await recorder.call('control.registry.remove', { params: { address: '71112222' } })
  await recorder.call('control.registry.remove', { params: { address: '71112222' }, status: 404 })
}

async function keepFaults(recorder: Recorder): Promise<void> {
  await recorder.call('control.faults.add', { body: { endpoint: 'payments.create', status: 500, times: 3 } })
  const lost = { endpoint: 'payments.create', fault: 'lose_answer', after: 1 }
  await recorder.call('control.faults.add', { name: 'lostAnswer', body: lost })
  const rare = { path: '/api/accounts/**', delay_ms: 2000, spread_ms: 500, probability: 0.1, seed: 7 }
  await recorder.call('control.faults.add', { name: 'slowAtRandom', body: rare })
  const twice = { event: 'payment.completed', fault: 'duplicate' }
  await recorder.call('control.faults.add', { name: 'deliveredTwice', body: twice })
  await recorder.call('control.faults.add', {
    name: 'loginRefused',
    body: { endpoint: 'oauth.token', error: 'invalid_grant' },
  })
  await recorder.call('control.faults.add', { body: { endpoint: 'payments.create', status: 404 }, status: 422 })
  await recorder.call('control.faults.add', { body: broken, status: 400 })
  await recorder.call('control.faults.list', { query: { which: 'all' } })
  await recorder.call('control.faults.list', { query: { which: 'old' }, status: 422 })
  const { data } = (await recorder.call('control.faults.list', { isExample: false })).body
  await recorder.call('control.faults.remove', { params: { id: String(data[0].id) } })
  await recorder.call('control.faults.remove', { params: { id: '999999' }, status: 404 })
  await recorder.call('control.faults.remove', { params: { id: 'x' }, status: 422 })
  await recorder.call('control.faults.clear')
}

async function keepUsers(recorder: Recorder, fixed: FixedValues): Promise<void> {
  await recorder.call('control.users.create', { body: { name: 'Diego Mora Castro', phone: '88009876' } })
  await recorder.call('control.users.create', { body: { name: '' }, status: 422 })
  await recorder.call('control.users.list')
  await recorder.call('control.ids.find', { query: { kind: 'account', part: '00c1' } })
  await recorder.call('control.ids.find', { query: { kind: 'payment', part: '?' }, status: 422 })

  const minted = await recorder.call('control.tokens.mint', { body: { scopes: ['read-user'], expires_in: 3600 } })
  fixed.replace(minted.body.data.token, 'payctl_token_secret')
  await recorder.call('control.tokens.mint', { body: { scopes: [] }, status: 422 })
  await recorder.call('control.tokens.list')
  const params = { id: String(minted.body.data.id) }
  const { token } = minted.body.data
  await recorder.call('accounts.list', { headers: { Authorization: `Bearer ${token}` }, status: 403 })
  await recorder.call('control.tokens.revoke', { params })
  await recorder.call('control.tokens.revoke', { params: { id: '999' }, status: 404 })
  await recorder.call('control.tokens.revoke', { params: { id: 'x' }, status: 422 })

  const shop = { client_id: 'shop', name: 'La Tienda', redirect_uris: ['https://shop.example/callback'] }
  const created = await recorder.call('control.clients.create', { name: 'webApp', body: shop })
  fixed.replace(created.body.data.client_secret, 'payctl_client_secret')
  await recorder.call('control.clients.create', { body: shop, status: 409 })
  await recorder.call('control.clients.create', { body: { ...shop, redirect_uris: [] }, status: 422 })
  const wallet = { client_id: 'wallet', public: true, redirect_uris: ['com.example.wallet:/callback'] }
  await recorder.call('control.clients.create', { name: 'nativeApp', body: wallet })
  await recorder.call('control.clients.list')
  await recorder.call('control.clients.remove', { params: { client_id: 'wallet' } })
  await recorder.call('control.clients.remove', { params: { client_id: 'wallet' }, status: 404 })
  await recorder.call('control.clients.remove', { params: { client_id: 'payctl' }, status: 409 })
  await recorder.call('control.clients.remove', { params: { client_id: 'no client' }, status: 422 })
  for (const id of ['control.users.create', 'control.tokens.mint', 'control.clients.create'] as const) {
    await recorder.call(id, { body: broken, status: 400 })
  }
}

async function readDeliveries(recorder: Recorder): Promise<void> {
  const { data } = (await recorder.call('control.deliveries.list', { query: { per_page: 3, page: 1 } })).body.data
  const params = { id: data[0].id }
  await recorder.call('control.deliveries.get', { params })
  await recorder.call('control.deliveries.resend', { params })
  // Waits for the delivery: the recorded report must not depend on whether the delivery has finished.
  await recorder.call('control.clock.advance', { body: { ms: 0 }, isExample: false })
  await recorder.call('control.deliveries.list', { query: { page: 0 }, status: 422 })
  const shop = { params: { id: 'shop' } }
  await recorder.call('control.receivers.set', { ...shop, body: { status: 503, delay_ms: 100 } })
  await recorder.call('control.receivers.set', { ...shop, body: { status: 99 }, status: 422 })
  await recorder.call('control.receivers.set', { ...shop, body: broken, status: 400 })
  await recorder.call('control.receivers.list')
  await recorder.call('control.receivers.get', shop)
  await recorder.call('control.receivers.get', { params: { id: 'Shop' }, status: 422 })
  for (const id of ['control.deliveries.get', 'control.deliveries.resend'] as const) {
    await recorder.call(id, { params: { id: 'whd_999999999999' }, status: 404 })
    await recorder.call(id, { params: { id: nowhere }, status: 422 })
  }
  await keepEvents(recorder)
}

async function lookBack(recorder: Recorder): Promise<void> {
  const made = { query: { endpoint: 'payments.create', status: '201', per_page: 1 } }
  const { data } = (await recorder.call('control.requests.list', made)).body.data
  const params = { id: data[0].id }
  await recorder.call('control.requests.list', { query: { status: 'bad' }, status: 422 })
  await recorder.call('control.requests.get', { params })
  await recorder.call('control.requests.get', { params: { id: 'r999999' }, status: 404 })
  await recorder.call('control.requests.get', { params: { id: '12' }, status: 422 })
  await recorder.call('control.timeline', { params })
  await recorder.call('control.timeline', { params: { id: nowhere }, status: 404 })
  await recorder.call('control.timeline', { params: { id: '12' }, status: 422 })
  await recorder.call('control.report')
  const query = 'SELECT status, count(*) AS payments, sum(amount) AS amount FROM payments GROUP BY status ORDER BY 1'
  await recorder.call('control.sql', { body: { query } })
  await recorder.call('control.sql', { body: { query: 'DELETE FROM payments' }, status: 422 })
  await recorder.call('control.sql', { body: broken, status: 400 })
}

async function keepMoments(recorder: Recorder): Promise<void> {
  await recorder.call('control.moments.keep', { body: { limit_mib: 64 } })
  await recorder.call('control.moments.keep', { body: { limit_mib: 0 }, status: 422 })
  await recorder.call('control.moments.keep', { body: broken, status: 400 })
  await recorder.call('control.credits.create', { body: { to: '88001234', amount: 5000 }, isExample: false })
  await recorder.call('control.moments.list', { query: { per_page: 2 } })
  await recorder.call('control.moments.list', { query: { request: 'r999999' }, status: 404 })
  await recorder.call('control.moments.list', { query: { request: '12' }, status: 422 })
  const [name, params] = ['before-the-credit', { name: 'before-the-credit' }]
  await recorder.call('control.worlds.create', { body: { name, from: { moment: 'm1' } }, isExample: false })
  await recorder.call('control.worlds.delete', { params, isExample: false })
  await recorder.call('control.moments.stop')
}

async function makeWorlds(recorder: Recorder): Promise<void> {
  await recorder.call('control.snapshots.create', { body: { name: 'paid' } })
  await recorder.call('control.snapshots.create', { body: { name: 'paid' }, status: 409 })
  await recorder.call('control.snapshots.create', { body: { name: 'Paid!' }, status: 422 })
  await recorder.call('control.snapshots.list')
  const [name, params] = ['test-12', { name: 'test-12' }]
  await recorder.call('control.worlds.create', { body: { name, from: { snapshot: 'paid' }, ttl_seconds: 600 } })
  await recorder.call('control.worlds.create', { body: { name }, status: 409 })
  const chaos = { seed: 7, profile: 'hostile' }
  await recorder.call('control.worlds.create', { name: 'withChaos', body: { name: 'test-13', chaos } })
  await recorder.call('control.worlds.create', { body: { name: 'test-14' }, isExample: false })
  await recorder.call('control.compare', { query: { world: ['test-13', 'test-14'], all: 'true' } })
  await recorder.call('control.compare', { query: { world: ['default', 'none'] }, status: 404 })
  await recorder.call('control.compare', { query: { world: ['default'] }, status: 422 })
  for (const made of ['test-13', 'test-14']) {
    await recorder.call('control.worlds.delete', { params: { name: made }, isExample: false })
  }
  await recorder.call('control.chaos')
  await recorder.call('control.worlds.create', { body: { from: { world: 'none' } }, status: 404 })
  await recorder.call('control.worlds.create', { body: { from: {} }, status: 422 })
  await recorder.call('control.worlds.get', { params })
  await recorder.call('control.worlds.delete', { params })
  await recorder.call('control.worlds.list', { query: { per_page: 3 } })
  await recorder.call('control.worlds.list', { query: { page: 0 }, status: 422 })
  await recorder.call('control.worlds.delete', { params: { name: 'default' }, status: 409 })
  for (const id of ['control.worlds.get', 'control.worlds.delete'] as const) {
    await recorder.call(id, { params, status: 410 })
    await recorder.call(id, { params: { name: 'none' }, status: 404 })
    await recorder.call(id, { params: { name: 'No name' }, status: 422 })
  }
  await recorder.call('control.snapshots.restore', { params: { name: 'paid' } })
  await recorder.call('control.snapshots.delete', { params: { name: 'paid' } })
  for (const id of ['control.snapshots.restore', 'control.snapshots.delete', 'control.snapshots.export'] as const) {
    await recorder.call(id, { params: { name: 'none' }, status: 404 })
    await recorder.call(id, { params: { name: 'No name' }, status: 422 })
  }
  for (const id of ['control.worlds.create', 'control.snapshots.create'] as const) {
    await recorder.call(id, { body: broken, status: 400 })
  }
}

async function keepInFiles(recorder: Recorder, fixed: FixedValues): Promise<void> {
  await recorder.call('control.seed')
  const { bytes } = await recorder.call('control.export')
  // A copy for each call: the emulator frees the buffers of bodies.
  const file = () => Buffer.from(bytes)
  const [id, headers] = ['control.import', { 'Content-Type': worldFile.type }] as const
  const made = await recorder.call(id, { query: { name: 'bug' }, headers, body: file() })
  fixed.replace(made.body.data.made_from.file, '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef')
  await recorder.call(id, { query: { name: 'bug' }, headers, body: file(), status: 409 })
  await recorder.call(id, { headers, body: Buffer.from('no database'), status: 422 })
  await recorder.call(id, { body: {}, status: 415 })
  await recorder.call(id, {
    headers: { ...headers, 'Content-Length': String(worldFile.limit + 1) },
    body: file(),
    status: 413,
  })
  await moveAway('bug', recorder, fixed)
  await keepSnapshot(recorder)
}

async function keepSnapshot(recorder: Recorder): Promise<void> {
  await recorder.call('control.snapshots.create', { body: { name: 'paid' }, isExample: false })
  const { bytes } = await recorder.call('control.snapshots.export', { params: { name: 'paid' } })
  const file = () => Buffer.from(bytes)
  const [id, headers, params] = [
    'control.snapshots.import',
    { 'Content-Type': worldFile.type },
    { name: 'paid-again' },
  ] as const
  await recorder.call(id, { params, headers, body: file() })
  await recorder.call(id, { params, headers, body: file(), status: 409 })
  await recorder.call(id, { params: { name: 'other' }, headers, body: Buffer.from('no database'), status: 422 })
  await recorder.call(id, { params, body: {}, status: 415 })
  const tooLong = { ...headers, 'Content-Length': String(worldFile.limit + 1) }
  await recorder.call(id, { params, headers: tooLong, body: file(), status: 413 })
  for (const name of ['paid', 'paid-again']) {
    await recorder.call('control.snapshots.delete', { params: { name }, isExample: false })
  }
}

async function moveAway(world: string, recorder: Recorder, fixed: FixedValues): Promise<void> {
  const { bytes } = await recorder.call('control.export', { world, isExample: false })
  const [id, params] = ['control.worlds.moved', { name: world }] as const
  const body = { base_url: 'https://payctl.example/w/s3.bug', file: hash('sha256', bytes) }
  fixed.replace(body.file, 'b3f1c8f5f3f0a3a3c9b0d6c4c5b7c8e19d6f0a7b2c4d5e6f708192a3b4c5d6e7')
  await recorder.call(id, { params, body: { ...body, file: '0'.repeat(64) }, status: 409 })
  await recorder.call(id, { params, body: { ...body, base_url: 'shard s3' }, status: 422 })
  await recorder.call(id, { params, body: broken, status: 400 })
  await recorder.call(id, { params: { name: 'none' }, body, status: 404 })
  await recorder.call(id, { params: { name: 'test-12' }, body, status: 410 })
  await recorder.call(id, { params, body })
}

/** Records the oldest delivery of each event as its example. */
async function keepEvents(recorder: Recorder): Promise<void> {
  const all = (await recorder.call('control.deliveries.list', { query: { per_page: 100 } })).body.data.data
  for (const event of eventNames) {
    const { id } = all.findLast((delivery: { event: string }) => delivery.event === event)
    const { body } = (await recorder.call('control.deliveries.get', { params: { id } })).body.data
    recorder.keepRequest(event, body)
  }
}
