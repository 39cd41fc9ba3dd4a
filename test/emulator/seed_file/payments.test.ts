import { describe, expect, it } from 'vitest'
import type { SeedFile } from '../../../src/contract/index.ts'
import { expectBalanced, faultsOf, pair, seenBy, startSeeded } from './seeded.ts'

type PaymentSeed = NonNullable<SeedFile['payments']>[number]

const clock = { time: '2030-01-05T12:00:00Z', frozen: true }
const eva = '61119999'

const startWith = (...payments: PaymentSeed[]) => startSeeded({ ...pair, clock, payments })

describe('payments of a seed', () => {
  it('fail, or will, in whatever words the file has, also in a world made from its export', async () => {
    const why = { state_code: 'E-17', error: 'Cuenta embargada' }
    const registry = [
      { phone: '61117777', name: 'Pedro Mora', document_number: '0109990889', outcome: 'failed' as const, ...why },
    ]
    const payments: PaymentSeed[] = [
      { account: 'ana-crc', to: eva, amount: 100, status: 'failed', ...why },
      { account: 'ana-crc', to: eva, amount: 100, status: 'processing', error: why.error },
      { account: 'ana-crc', to: '61117777', amount: 100, status: 'processing' },
    ]
    const emulator = await startSeeded({ ...pair, clock, registry: [...pair.registry, ...registry], payments })
    const { seed } = await emulator.control.seed()
    const { name } = await emulator.control.worlds.create({ from: { seed } })
    for (const control of [emulator.control, emulator.controlOf(name)]) {
      await control.clock.runUntilIdle()
      const query = 'SELECT status, state_code, error_message FROM payments ORDER BY created_at, id'
      const { rows } = await control.sql({ query })
      expect(rows.toSorted()).toEqual(
        [
          ['failed', 'E-17', why.error],
          ['failed', 'rejected', why.error],
          ['failed', 'E-17', why.error],
        ].toSorted(),
      )
    }
  })

  it.each([
    ['pending', { settle_ms: 60_000 }],
    ['processing', {}],
    ['completed', {}],
    ['failed', { state_code: 'account_closed' }],
    ['timeout', {}],
    ['service_unavailable', {}],
    ['validation_failed', {}],
    ['system_error', {}],
  ] as const)('can be %s, over both rails and to accounts of the file', async (status, more) => {
    const emulator = await startWith(
      ...[eva, 'leo-crc', '61110002'].map((to) => ({ account: 'ana-crc', to, amount: 1000, status, ...more })),
    )
    const { accounts, payments } = await seenBy(emulator, emulator.token)
    expect(accounts[0]?.balance.value).toBe(150_025)
    expect(payments.map((payment) => [payment.status, payment.channel])).toEqual([
      [status, 'sinpe_movil'],
      [status, 'pin'],
      [status, 'sinpe_movil'],
    ])
    expectBalanced(emulator)
    await emulator.control.clock.runUntilIdle()
    const after = await seenBy(emulator, emulator.token)
    const ended = ['pending', 'processing'].includes(status) ? 'completed' : status
    expect(after.payments.map((payment) => payment.status)).toEqual([ended, ended, ended])
    expectBalanced(emulator)
  })

  it('come from other banks, and between accounts with the receiver’s own record', async () => {
    const emulator = await startSeeded({
      ...pair,
      tokens: [{ token: 'leo-token', user: 'leo' }],
      payments: [
        { account: 'ana-crc', transfer_type: 'credit', from: eva, amount: 500 },
        { account: 'ana-usd', transfer_type: 'credit', amount: 600, created_at: '2026-01-01T11:00:00Z' },
        { alias: 'rent', account: 'ana-crc', to: 'leo-crc', amount: 700, description: 'Alquiler' },
      ],
    })
    const { payments } = await seenBy(emulator, emulator.token)
    expect(payments.map((payment) => [payment.payer.name, payment.amount.formatted, payment.description])).toEqual([
      ['Ana Vargas', '7.00 CRC', 'Alquiler'],
      ['Eva Solís', '5.00 CRC', 'Incoming SINPE Movil payment'],
      ['Remitente de Prueba', '6.00 USD', 'Incoming PIN payment'],
    ])
    expect(payments[0]).toMatchObject({ idempotency_key: 'seed-rent', fee: { value: 100 } })
    const [receipt, ...others] = (await seenBy(emulator, 'leo-token')).payments
    expect(others).toEqual([])
    expect(receipt).toMatchObject({ transfer_type: 'credit', sinpe_reference: payments[0]?.sinpe_reference })
    expectBalanced(emulator)
  })

  it('to the phone of a user of the file are to that user, whatever name and time they state', async () => {
    const leo = { to: '61110002', name: 'Leo Mora', document_number: '0109990886' }
    const emulator = await startSeeded({
      ...pair,
      clock,
      tokens: [{ token: 'leo-token', user: 'leo' }],
      payments: [{ account: 'ana-crc', ...leo, amount: 700, created_at: '2026-01-01T11:00:00Z' }],
    })
    expect((await seenBy(emulator, 'leo-token')).payments).toMatchObject([{ transfer_type: 'credit' }])
    expectBalanced(emulator)
  })

  it('continue from their status, to their own outcome or their recipient’s, and cause events from then on', async () => {
    const emulator = await startSeeded({
      ...pair,
      clock,
      subscriptions: [{ url: 'http://127.0.0.1:9/hook', events: ['payment.created', 'payment.completed'] }],
      payments: [
        { account: 'ana-crc', to: eva, amount: 100, status: 'pending' },
        { account: 'ana-crc', to: '61118888', amount: 100, status: 'processing' },
        { account: 'ana-crc', to: eva, amount: 100, status: 'processing', state_code: 'limit_exceeded' },
        { account: 'ana-crc', to: eva, amount: 100, status: 'processing', outcome: 'processing' },
        { account: 'ana-crc', to: eva, amount: 100, status: 'pending', due_at: '2030-01-06T12:00:00Z', settle_ms: 2e8 },
      ],
    })
    const { control } = emulator
    expect((await control.state()).deliveries.pending).toBe(0)
    await control.clock.advance({ ms: 3_600_000 })
    const { payments } = await seenBy(emulator, emulator.token)
    expect(payments.map(({ status }) => status)).toEqual(['pending', 'processing', 'failed', 'timeout', 'completed'])
    expect((await control.deliveries.list()).data.map(({ event }) => event)).toEqual(['payment.completed'])
    await control.clock.advance({ ms: 2e8 })
    expect((await seenBy(emulator, emulator.token)).payments[0]?.status).toBe('completed')
    expectBalanced(emulator)
  })

  it('are answered again to their key', async () => {
    const emulator = await startWith({ account: 'ana-crc', to: eva, amount: 100, idempotency_key: 'order-1' })
    const [account] = emulator.accounts()
    const answer = await fetch(`${emulator.baseUrl}/api/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${emulator.token}`,
        'Content-Type': 'application/json',
        'X-Idempotency-Key': 'order-1',
      },
      body: JSON.stringify({ source_account_id: account?.id, recipient_phone: eva, amount: 100 }),
    })
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  })

  it('are followed by later payments, with their own numbers', async () => {
    const emulator = await startWith(
      { account: 'ana-crc', to: 'leo-crc', amount: 100, number: 41 },
      { account: 'ana-crc', to: eva, amount: 100 },
    )
    await emulator.control.credits.create({ to: '61110001', amount: 5 })
    const { payments } = await seenBy(emulator, emulator.token)
    expect(payments.map(({ channel_reference }) => Number(channel_reference.slice(-12)))).toEqual([44, 43, 41])
  })

  const to = { account: 'ana-crc', to: eva, amount: 5 }
  const day = (n: number) => `2030-01-0${n}T12:00:00Z`
  it.each([
    [
      'a state that its rail can’t have',
      { ...to, account: 'ana-usd' },
      ['payments[0]: SINPE Móvil carries CRC only; the account is in USD', expect.anything()],
    ],
    [
      'a credit that is not completed',
      { amount: 5, transfer_type: 'credit', status: 'pending' },
      ['payments[0].status: a credit is completed from the start'],
    ],
    [
      'a recipient nobody knows',
      { ...to, to: '61117777' },
      [expect.stringMatching(/^payments\[0\]\.to: no registry entry/)],
    ],
    ['itself as recipient', { ...to, to: 'ana-crc' }, ['payments[0].to: the recipient is the source account itself']],
    [
      'an account in another currency',
      { ...to, to: 'ana-usd' },
      [expect.stringMatching(/^payments\[0\]\.to: the recipient’s/)],
    ],
    ['no recipient', { amount: 5 }, ['payments[0]: the to field is missing: it must name the payee of the payment']],
    [
      'an IBAN nobody has here',
      { ...to, to: 'CR76099910000000000009' },
      [expect.stringMatching(/^payments\[0\]\.to: /)],
    ],
    [
      'a reason without failure',
      { ...to, state_code: 'rejected' },
      ['payments[0].state_code: only a payment that fails has this field'],
    ],
    [
      'another end than it has',
      { ...to, outcome: 'failed' },
      ['payments[0].outcome: the payment is completed already'],
    ],
    [
      'times that don’t follow',
      { ...to, created_at: day(4), completed_at: day(3) },
      [expect.stringMatching(/its times must be in this order/)],
    ],
    [
      'a time that is not yet',
      { ...to, created_at: day(6) },
      [expect.stringMatching(/its times must be in this order/)],
    ],
    ['a step after its end', { ...to, due_at: day(6) }, [expect.stringMatching(/takes no more steps$/)]],
    [
      'a sender',
      { ...to, from: eva },
      ['payments[0].from: a debit does not have this field; the to field names the payee'],
    ],
    ['a receipt it has not', { ...to, receipt: {} }, [expect.stringMatching(/^payments\[0\]\.receipt: only/)]],
    [
      'money from here',
      { amount: 5, transfer_type: 'credit', from: '61110002' },
      [expect.stringMatching(/^payments\[0\]\.from: the sender/)],
    ],
  ])('are refused for %s', async (_, payment, faults) => {
    expect(await faultsOf({ seed: { ...pair, clock, payments: [payment] } })).toEqual(faults)
  })

  it('are refused for numbers, keys and ids that are there twice', async () => {
    const payment = { ...to, number: 3, idempotency_key: 'k', alias: 'a' }
    expect(await faultsOf({ seed: { ...pair, payments: [payment, payment] } })).toEqual([
      'payments[1].alias: a is there twice',
      'payments[1].number: 3 is there twice',
      'payments[1].idempotency_key: k occurs twice for this user',
    ])
  })
})
