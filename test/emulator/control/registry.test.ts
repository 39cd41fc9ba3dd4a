import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { buildIban, stateCodes, terminalStatuses } from '../../../src/contract/index.ts'
import { startWorld } from './world.ts'

const iban = buildIban('114', '00123456789012')
const holder = { name: 'Beatriz Solís', document_number: '0109990888' }

describe('the scenarios', () => {
  it('have a recipient for every way a payment can end, on both rails', async () => {
    const { steer } = await startWorld()
    const scenarios = await steer('control.scenarios')
    for (const channel of ['pin', 'sinpe_movil']) {
      const own = scenarios.filter((scenario) => scenario.channel === channel)
      const endings = new Set(own.map(({ status }) => status))
      expect([...endings].sort()).toEqual([...terminalStatuses, 'processing'].sort())
      const codes = own.filter(({ status }) => status === 'failed').map(({ state_code }) => state_code)
      expect(new Set(codes)).toEqual(new Set(stateCodes))
      expect(own.some(({ outcome }) => outcome === 'slow')).toBe(true)
    }
  })

  it('end as they are listed, when they are listed to, and never leave that state', async () => {
    const { steer, pay, dollars, client } = await startWorld()
    await steer('control.clock.freeze')
    for (const scenario of await steer('control.scenarios')) {
      const { address, channel, currency, status, error_message, after_ms } = scenario
      const to = channel === 'pin' ? { recipient_iban: address } : { recipient_phone: address }
      const { id } = await pay(to, 1000, currency === 'USD' ? dollars : undefined)
      const read = () => client.call('payments.get', { params: { id } })
      await steer('control.clock.advance', { body: { ms: after_ms - 1 } })
      expect((await read()).status, `${address} before`).not.toBe(status)
      await steer('control.clock.advance', { body: { ms: 1 } })
      expect(await read(), address).toMatchObject({ status, error_message })
      await steer('control.clock.advance', { body: { ms: 24 * 60 * 60 * 1000 } })
      expect(await read(), `${address} later`).toMatchObject({ status, error_message })
    }
    expect(await steer('control.ledger')).toMatchObject({ balanced: true, problems: [] })
  })

  it('keep the first addresses of the demo where they have always been', async () => {
    const { steer } = await startWorld()
    const known = Object.fromEntries((await steer('control.registry.list')).map((entry) => [entry.address, entry]))
    expect(known['87000001']).toMatchObject({
      name: 'Carlos Jiménez Mora',
      outcome: 'completed',
      entity_name: 'Banco Nacional de Costa Rica',
    })
    expect(known['87000006']).toMatchObject({ outcome: 'failed', state_code: 'rejected' })
    expect(known['87000012']).toMatchObject({ outcome: 'slow' })
  })

  it('are all in the guide', async () => {
    const { steer } = await startWorld()
    const guide = await readFile(new URL('../../../docs/guide/emulator.md', import.meta.url), 'utf8')
    const rows = guide.split('\n').filter((line) => line.startsWith('| '))
    for (const { address, name, status, state_code } of await steer('control.scenarios')) {
      const row = rows.find((line) => line.includes(` ${address} `))
      expect(row, address).toContain(`| ${name} |`)
      expect(row).toContain(`| ${status}`)
      if (state_code) expect(row).toContain(`failed: ${state_code}`)
    }
  })

  it('include two closed accounts: with a separate code, and rejected with the reason as text', async () => {
    const { steer, client } = await startWorld()
    const closed = (await steer('control.registry.list')).filter(({ status }) => status === 'closed')
    expect(new Set(closed.map(({ state_code, error }) => `${state_code}: ${error}`))).toEqual(
      new Set(['account_closed: null', 'rejected: Destination account closed']),
    )
    for (const { address, channel } of closed) {
      if (channel !== 'pin') continue
      expect(await client.call('iban.information', { params: { iban: address } })).toMatchObject({ status: 'closed' })
    }
  })

  it('are none in an empty world', async () => {
    const { steer } = await startWorld({ seed: 'empty' })
    expect(await steer('control.scenarios')).toEqual([])
  })
})

describe('the registry', () => {
  it('takes an entry, which the service then knows, and lets it go', async () => {
    const { steer, ask, client, pay } = await startWorld()
    const added = await steer('control.registry.add', {
      body: { ...holder, iban, outcome: 'failed', state_code: 'account_closed' },
    })
    expect(added).toEqual({
      address: iban,
      channel: 'pin',
      ...holder,
      document_type: 0,
      currency: 'CRC',
      entity_name: 'Banco Lafise',
      outcome: 'failed',
      state_code: 'account_closed',
      error: null,
      status: 'closed',
    })
    expect(await client.call('iban.information', { params: { iban } })).toMatchObject({ ...holder, status: 'closed' })
    expect(await steer('control.scenarios')).toContainEqual(
      expect.objectContaining({ address: iban, status: 'failed' }),
    )
    const { id } = await pay({ recipient_iban: iban })
    expect(await steer('control.registry.remove', { params: { address: iban } })).toEqual(added)
    await expect(client.call('iban.information', { params: { iban } })).rejects.toMatchObject({ status: 404 })
    await steer('control.clock.advance', { body: { ms: 60_000 } })
    const payment = await client.call('payments.get', { params: { id } })
    expect(payment).toMatchObject({ status: 'failed', error_message: 'The destination account is closed' })
    expect((await ask('control.registry.remove', { params: { address: iban } })).status).toBe(404)
  })

  it('knows a phone by its eight digits', async () => {
    const { steer, client } = await startWorld()
    const body = { phone: '50671112222', name: 'Comercio Móvil', document_number: '3101000999' }
    expect(await steer('control.registry.add', { body })).toMatchObject({
      address: '71112222',
      channel: 'sinpe_movil',
      document_type: 3,
      outcome: 'completed',
      state_code: null,
      status: 'active',
    })
    expect(await client.call('phone.information', { params: { phone: '71112222' } })).toMatchObject({ name: body.name })
  })

  it('fails payments as rejected where no reason is given', async () => {
    const { steer } = await startWorld()
    expect(await steer('control.registry.add', { body: { ...holder, iban, outcome: 'failed' } })).toMatchObject({
      state_code: 'rejected',
    })
  })

  it.each(['active', 'closed', 'blocked'] as const)('shows a holder’s account as %s', async (status) => {
    const { steer, client } = await startWorld()
    await steer('control.registry.add', { body: { ...holder, iban, status } })
    expect(await client.call('iban.information', { params: { iban } })).toMatchObject({ status })
  })

  it('has every address once', async () => {
    const { steer, ask } = await startWorld()
    await steer('control.registry.add', { body: { ...holder, iban } })
    expect((await ask('control.registry.add', { body: { ...holder, iban } })).status).toBe(409)
  })

  it.each([
    [{ ...holder }, 'iban'],
    [{ ...holder, iban, phone: '71112222' }, 'phone'],
    [{ ...holder, iban: 'CR37012345678901234567' }, 'iban'],
    [{ ...holder, iban: 'CR1' }, 'iban'],
    [{ ...holder, iban: buildIban('999', '1') }, 'iban'],
    [{ ...holder, phone: '88001234' }, 'phone'],
    [{ ...holder, phone: '1' }, 'phone'],
    [{ ...holder, phone: '71112222', currency: 'USD' }, 'currency'],
    [{ ...holder, iban, currency: 'EUR' }, 'currency'],
    [{ ...holder, iban, outcome: 'lost' }, 'outcome'],
    [{ ...holder, iban, state_code: 'rejected' }, 'state_code'],
    [{ ...holder, iban, status: 'inactive' }, 'status'],
    [{ ...holder, iban, outcome: 'failed', state_code: '' }, 'state_code'],
    [{ ...holder, iban, outcome: 'failed', state_code: 'x'.repeat(65) }, 'state_code'],
    [{ ...holder, iban, error: 'Closed' }, 'error'],
    [{ ...holder, iban, outcome: 'failed', error: '' }, 'error'],
    [{ ...holder, iban, document_number: '?' }, 'document_number'],
    [{ document_number: holder.document_number, iban }, 'name'],
    [{ ...holder, iban, document_type: 12 }, 'document_type'],
  ])('refuses %j for its %s', async (body, field) => {
    const { ask, steer } = await startWorld()
    const before = await steer('control.registry.list')
    const answer = await ask('control.registry.add', { body })
    expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] })
    expect(await steer('control.registry.list')).toEqual(before)
  })

  it.each(['..', "' OR 1=1 --", '%', 'CR05015202001026284066'])('has no %j to remove', async (address) => {
    const { ask } = await startWorld()
    expect((await ask('control.registry.remove', { params: { address } })).status).toBe(404)
  })
})
