import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { startReceiver } from './receiver.ts'
import { startWorld, type World } from './world.ts'

const phone = '88001234'
const known = { crc: 'Ana Lucía Vargas Solano', usd: 'Pacific Imports LLC' }

const ibanOf = (world: World, name: string) =>
  world
    .steer('control.registry.list')
    .then((all) => all.find((entry) => entry.name === name && entry.channel === 'pin')?.address ?? '')

const balanceOf = async ({ client }: World, id: string) =>
  (await client.call('accounts.balance', { params: { id } })).balance

describe('a credit', () => {
  it('over PIN reaches account, history and ledger', async () => {
    const world = await startWorld()
    const { steer, client, colones } = world
    const before = await balanceOf(world, colones)
    const from_iban = await ibanOf(world, known.crc)
    const credit = await steer('control.credits.create', { body: { to: colones, amount: 150_025, from_iban } })
    expect(credit).toMatchObject({
      idempotency_key: `CREDIT_${credit.id.replaceAll('-', '_')}`,
      transfer_type: 'credit',
      channel: 'pin',
      status: 'completed',
      amount: { value: 150_025, currency: 'CRC' },
      fee: null,
      payer: { iban: from_iban, name: known.crc, document_number: '0205670891' },
      description: 'Incoming PIN payment',
      error_message: null,
    })
    expect(credit.sinpe_reference).toMatch(/^\d{25}$/)
    expect(credit.completed_at).toBe(credit.created_at)
    expect(await balanceOf(world, colones)).toBe(before + 150_025)
    const history = await client.call('payments.history', { query: { transfer_type: 'credit' } })
    expect(history.data).toEqual([credit])
    expect(await client.call('payments.get', { params: { id: credit.id } })).toEqual(credit)
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
  })

  it('has a key that its user has not used: the user can make one payment with it', async () => {
    const world = await startWorld()
    const { client, colones, steer } = world
    const { idempotency_key: key } = await steer('control.credits.create', { body: { to: colones, amount: 5000 } })
    const before = await balanceOf(world, colones)
    const order = {
      headers: { 'X-Idempotency-Key': key },
      body: { source_account_id: colones, amount: 700, recipient_phone: '87000001' },
    }

    expect(await client.call('payments.validate', order)).toMatchObject({ channel: 'sinpe_movil' })
    const made = await client.call('payments.create', order)

    expect(made).toMatchObject({ status: 'pending', recipient_phone: '87000001', amount: { value: 700 } })
    expect(await client.call('payments.create', order)).toEqual(made)
    await expect(client.call('payments.validate', order)).rejects.toMatchObject({ status: 409 })
    expect(await balanceOf(world, colones)).toBe(before - 700)
    const { data } = await client.call('payments.history', {})
    expect(data.map(({ idempotency_key, transfer_type }) => [idempotency_key, transfer_type])).toEqual([
      [key, 'debit'],
      [key, 'credit'],
    ])
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
  })

  it('goes to the account of the phone over SINPE Móvil', async () => {
    const world = await startWorld()
    const before = await balanceOf(world, world.colones)
    const body = { to: '+506 8800-1234', amount: 1, from_phone: '50687000001', name: 'Otra Persona' }
    const credit = await world.steer('control.credits.create', { body })
    expect(credit).toMatchObject({
      channel: 'sinpe_movil',
      payer: { iban: null, name: 'Otra Persona', document_number: '0304930258' },
      payee: { phone_number: phone },
      description: 'Incoming SINPE Movil payment',
    })
    expect(credit.payee).not.toHaveProperty('iban')
    expect(await balanceOf(world, world.colones)).toBe(before + 1)
    expect(await world.steer('control.ledger')).toMatchObject({ balanced: true })
  })

  it.each([
    ['an account', 'pin'],
    ['its IBAN as people write it', 'pin'],
    ['a phone', 'sinpe_movil'],
  ])('to %s comes over %s when nobody says from where', async (kind, channel) => {
    const world = await startWorld()
    const { iban } = await world.client.call('accounts.get', { params: { id: world.colones } })
    const spaced = iban
      .replace(/(.{4})/g, '$1 ')
      .trim()
      .toLowerCase()
    const to = { 'an account': world.colones, 'its IBAN as people write it': spaced, 'a phone': phone }[kind] ?? ''
    const credit = await world.steer('control.credits.create', { body: { to, amount: 5 } })
    expect(credit).toMatchObject({ channel, payer: { name: 'Remitente de Prueba' } })
    if (channel === 'pin') expect(credit.payer.iban).toMatch(/^CR\d{20}$/)
  })

  it('accepts what a request says of the sender', async () => {
    const world = await startWorld()
    const body = {
      to: world.dollars,
      amount: 999,
      from_iban: await ibanOf(world, known.usd),
      name: 'Exportadora Única S.A.',
      document_number: '3101999888',
      description: 'Factura 12',
    }
    const credit = await world.steer('control.credits.create', { body })
    expect(credit).toMatchObject({
      amount: { currency: 'USD' },
      payer: { name: body.name, document_number: body.document_number, document_type: 3 },
      description: 'Factura 12',
    })
  })

  it('is delivered to its subscribers', async () => {
    const { steer, client, colones } = await startWorld()
    const { iban } = await client.call('accounts.get', { params: { id: colones } })
    const receiver = await startReceiver()
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    const credit = await steer('control.credits.create', {
      body: { to: phone, amount: 12_300, from_phone: '60000001', document_number: '155812345678', name: 'Ana' },
    })
    await steer('control.credits.create', { body: { to: colones, amount: 1 } })
    await steer('control.clock.advance', { body: { ms: 0 } })
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received.find(({ data }) => data.id === credit.id)).toMatchObject({
      event: 'transaction.received',
      data: {
        idempotency_key: credit.idempotency_key,
        channel_reference: null,
        transfer_type: 'credit',
        payer: { iban: null, phone_number: '60000001', document_number: '155812345678', document_type: 1, name: 'Ana' },
        payee: { iban, phone_number: phone },
        amount: { value: 12_300 },
        fee: null,
        status: 'completed',
        completed_at: expect.any(String),
      },
    })
  })

  it('without a phone is delivered without one', async () => {
    const { steer, client } = await startWorld()
    const receiver = await startReceiver()
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    await steer('control.credits.create', { body: { to: phone, amount: 1 } })
    await steer('control.clock.advance', { body: { ms: 0 } })
    expect(receiver.received).toMatchObject([{ data: { payer: { iban: null, phone_number: null } } }])
  })

  it('does not come over a rail that is offline', async () => {
    const { ask, steer } = await startWorld()
    await steer('control.rails.set', { body: { sinpe_movil: 'offline' } })
    expect((await ask('control.credits.create', { body: { to: phone, amount: 1 } })).status).toBe(409)
    expect(await steer('control.state')).toMatchObject({ payments: { completed: 0 } })
  })

  it.each([
    [{ amount: 1 }, 'to'],
    [{ to: 'nobody', amount: 1 }, 'to'],
    [{ to: '89999999', amount: 1 }, 'to'],
    [{ to: 'CR05015202001026284066', amount: 1 }, 'to'],
    [{ to: '01900000-0000-7000-8000-00000000ffff', amount: 1 }, 'to'],
    [{ to: 'the dollars', amount: 1, from_phone: '87000001' }, 'to'],
    [{ to: phone }, 'amount'],
    [{ to: phone, amount: 0 }, 'amount'],
    [{ to: phone, amount: 1.5 }, 'amount'],
    [{ to: phone, amount: 500_000_001 }, 'amount'],
    [{ to: phone, amount: 1, from_iban: 'CR37012345678901234567' }, 'from_iban'],
    [{ to: phone, amount: 1, from_iban: 'nonsense' }, 'from_iban'],
    [{ to: phone, amount: 1, from_iban: 'its own' }, 'from_iban'],
    [{ to: phone, amount: 1, from_iban: 'in dollars' }, 'from_iban'],
    [{ to: phone, amount: 1, from_phone: '12345678' }, 'from_phone'],
    [{ to: phone, amount: 1, from_phone: phone }, 'from_phone'],
    [{ to: phone, amount: 1, from_phone: '87000001', from_iban: 'CR05015202001026284066' }, 'from_phone'],
    [{ to: phone, amount: 1, document_number: '12-34' }, 'document_number'],
    [{ to: phone, amount: 1, name: '' }, 'name'],
    [{ to: phone, amount: 1, description: 'x'.repeat(256) }, 'description'],
  ])('with %j is refused for its %s', async (body: Readonly<Record<string, unknown>>, field) => {
    const world = await startWorld()
    const { iban } = await world.client.call('accounts.get', { params: { id: world.colones } })
    const names: Record<string, string> = {
      'the dollars': world.dollars,
      'its own': iban,
      'in dollars': await ibanOf(world, known.usd),
    }
    const filled = Object.fromEntries(Object.entries(body).map(([key, value]) => [key, names[String(value)] ?? value]))
    const answer = await world.ask('control.credits.create', { body: filled })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
    expect(await world.steer('control.state')).toMatchObject({ payments: { completed: 0 }, ledger_balanced: true })
  })
})

describe('a payment between two accounts of the world', () => {
  it.each(['phone', 'iban'])('to a %s credits the receiver, who hears of it', async (kind) => {
    const world = await startWorld()
    const { steer, client, pay, colones, emulator } = world
    const other = await steer('control.users.create', { body: { name: 'Luis Mora', phone: '61234567' } })
    const { token } = await steer('control.tokens.mint', { body: { user: other.id } })
    const theirs = createClient({ baseUrl: emulator.baseUrl, token, strict: true })
    const account = await theirs.call('accounts.create', { body: { currency: 'CRC' } })
    const receiver = await startReceiver()
    await theirs.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    const before = await balanceOf(world, colones)
    const to = kind === 'phone' ? { recipient_phone: '61234567' } : { recipient_iban: account.iban }
    const { id } = await pay(to, 5000)
    expect((await theirs.call('accounts.balance', { params: { id: account.id } })).balance).toBe(0)
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const fee = kind === 'phone' ? 0 : 100
    expect(await balanceOf(world, colones)).toBe(before - 5000 - fee)
    expect((await theirs.call('accounts.balance', { params: { id: account.id } })).balance).toBe(5000)
    const { data } = await theirs.call('payments.history')
    expect(data).toMatchObject([{ transfer_type: 'credit', status: 'completed', amount: { value: 5000 }, fee: null }])
    expect(data[0]?.id).not.toBe(id)
    expect(data[0]?.idempotency_key).toMatch(/^CREDIT_[0-9a-f_]{36}$/)
    expect(receiver.received).toMatchObject([{ event: 'transaction.received', data: { id: data[0]?.id, fee: null } }])
    expect((await client.call('payments.history')).data).toHaveLength(1)
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
    await theirs.close()
  })
})
