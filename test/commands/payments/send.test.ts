import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { breakJournal, breakMarking } from './broken_journal.ts'
import { payctl } from './payctl.ts'
import { account, iban, isPayment, loseAnswers, startService, stopOnceIdentified } from './service.ts'

const sending = ['payments', 'send', '--from', account, '--to', iban, '--amount', '1500.25']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

describe('payments send pays', () => {
  test('with --yes: one request and nothing else', async () => {
    const { service, cli } = await setUp()

    const { code, stdout } = await cli.run(...sending, '--yes', '--json')

    expect(code).toBe(0)
    expect(service.received).toHaveLength(1)
    expect(service.received[0]).toMatchObject({
      method: 'POST',
      path: '/api/payments',
      body: { source_account_id: account, amount: 150_025, recipient_iban: iban },
    })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', idempotency_key: service.received[0]?.key })
  })

  test('the description and the national number of a phone, however they are typed', async () => {
    const { service, cli } = await setUp()

    await cli.run(
      ...['payments', 'send', '--from', account, '--to', '+506 8888-1234', '--amount-minor', '7', '--yes'],
      ...['--description', 'Almuerzo del viernes'],
    )

    expect(service.received[0]?.body).toEqual({
      source_account_id: account,
      amount: 7,
      recipient_phone: '88881234',
      description: 'Almuerzo del viernes',
    })
  })

  test('after a yes at the terminal, once payee, amount and fee are on stderr', async () => {
    const { service, cli } = await setUp()

    const { code, stdout, stderr } = await cli.ask('y\n', ...sending, '--json')

    expect(code).toBe(0)
    expect(stderr).toContain('Luis Solano')
    expect(stderr).toContain('CR05 0152 0200 1026 2840 66')
    expect(stderr).toContain('1,500.25 CRC')
    expect(stderr).toMatch(/^ {2}Amount +1,500\.25 CRC +fee 1\.00 CRC$/m)
    expect(stderr).toMatch(/^ {2}From +Ana Mora +CR61 0102 0010 0000 0000 01$/m)
    expect(stderr).toMatch(/^ {2}Left +98,498\.75 CRC$/m)
    expect(stderr).toContain('Send 1,500.25 CRC to Luis Solano?')
    expect(service.payments.size).toBe(1)
    expect(service.received.find(({ path }) => path === '/api/payments/validate')?.key).toBe(
      service.received.at(-1)?.key,
    )
    expect(JSON.parse(stdout)).toMatchObject({ status: 'pending' })
  })

  test('after a question that no name can hide or reorder', async () => {
    const { service, cli } = await setUp()
    const name = `Ana\u001b[2K\r\nAmount 1.00\u202e\u200f\u061c${'x'.repeat(5000)}`
    service.before = ({ path }) => {
      if (path.startsWith('/api/iban/')) return [200, { name }]
      if (path.startsWith('/api/accounts/')) return [200, { owner_name: name, iban, balance: { currency: 'CRC' } }]
      return undefined
    }

    const { code, stderr } = await cli.ask('y\n', ...sending)

    expect(code).toBe(0)
    const lines = stripVTControlCharacters(stderr).split('\n')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}Amount +1,500\.25 CRC +fee 1\.00 CRC$/))
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600) // the question, and the codes that redraw it
    expect(stderr).not.toMatch(/[\u202e\u200f\u061c]/)
    expect(stderr).not.toContain('Ana\u001b')
    expect(stderr).not.toMatch(/^ *Amount 1\.00/m)
  })

  test.each(['closed', 'blocked'])('after a question that says that the payee’s account is %s', async (status) => {
    const { service, cli } = await setUp()
    service.before = ({ path }) => (path.startsWith('/api/iban/') ? [200, { name: 'Ana Vargas', status }] : undefined)

    const { stderr } = await cli.ask('n\n', ...sending)

    expect(stderr).toContain(`Ana Vargas (account ${status})`)
    expect(service.payments.size).toBe(0)
  })

  test('after a yes when the token may not look anything up', async () => {
    const { service, cli } = await setUp()
    service.before = ({ path }) => (/accounts|information/.test(path) ? [403, 'Invalid scope(s) provided.'] : undefined)

    const { code, stderr } = await cli.ask('y\n', ...sending)

    expect(code).toBe(0)
    expect(stderr).toContain('name not available')
    expect(service.payments.size).toBe(1)
  })
})

describe('the recipient’s email', () => {
  const email = ['--recipient-email', 'ana@example.com']

  test('goes out with the payment and its validation, and is shown before the question', async () => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.ask('y\n', ...sending, ...email)

    expect(code).toBe(0)
    expect(stderr).toMatch(/^ {2}Email +ana@example\.com/m)
    const bodies = service.received.filter(({ method }) => method === 'POST').map(({ body }) => body.recipient_email)
    expect(bodies).toEqual(['ana@example.com', 'ana@example.com'])
  })

  test('is repeated with the payment, and another one is another payment', async () => {
    const { service, cli } = await setUp()
    const keyed = [...sending, '--yes', '--idempotency-key', 'order-17']
    await cli.run(...keyed, ...email)

    const other = await cli.run(...keyed, '--recipient-email', 'luis@example.com')
    const again = await cli.run(...keyed, ...email)

    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another payment') })
    expect(again.code).toBe(0)
    const sent = service.received.filter(({ path, method }) => path === '/api/payments' && method === 'POST')
    expect(sent.map(({ body }) => body.recipient_email)).toEqual(sent.map(() => 'ana@example.com'))
    expect(service.payments.size).toBe(1)
  })

  test.each(['', 'ana', 'ana@', '@b.cr', 'a b@c.cr', `${'x'.repeat(251)}@b.cr`])(
    'of %j is refused before any request',
    async (text) => {
      const { service, cli } = await setUp()

      const { code, stderr } = await cli.run(...sending, '--yes', '--recipient-email', text)

      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--recipient-email') })
      expect(service.received).toEqual([])
    },
  )
})

describe('a value at the edge of what can be sent', () => {
  test.each([
    ['the shortest description', ['--description', '🙂'.repeat(15)]],
    ['the longest description', ['--description', '🙂'.repeat(255)]],
    ['the longest email', ['--recipient-email', `${'x'.repeat(250)}@b.cr`]],
    ['the longest key', ['--idempotency-key', 'k'.repeat(255)]],
  ])('goes out as it is: %s', async (_, flags) => {
    const { service, cli } = await setUp()

    const { code } = await cli.run(...sending, '--yes', ...flags)

    expect(code).toBe(0)
    expect(JSON.stringify(service.received)).toContain(`"${flags[1]}"`)
  })

  test.each([
    ['a description', ['--description', '🙂'.repeat(14)], 'has 14 characters'],
    ['a key', ['--idempotency-key', 'k'.repeat(256)], '1 to 255'],
  ])('does not, one character further: %s', async (_, flags, text) => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.run(...sending, '--yes', ...flags)

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) })
    expect(service.received).toEqual([])
  })
})

describe('payments send sends nothing', () => {
  test.each(['\n', 'n\n', 'no\n', '\x04'])('after the answer %j', async (answer) => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.ask(answer, ...sending)

    expect(code).toBe(2)
    expect(stderr).toContain('nothing was sent')
    expect(service.payments.size).toBe(0)
  })

  test('and is exit 130 after Ctrl-C at the question', async () => {
    const { service, cli } = await setUp()

    const { code } = await cli.ask('\x03', ...sending)

    expect(code).toBe(130)
    expect(service.payments.size).toBe(0)
  })

  test('and requests nothing without a terminal and without --yes', async () => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.run(...sending)

    expect(code).toBe(2)
    expect(stderr).toContain('--yes')
    expect(service.received).toEqual([])
  })

  test('with --dry-run: prints what the service says of the payment', async () => {
    const { service, cli } = await setUp()

    const { code, stdout, stderr } = await cli.run(...sending, '--dry-run', '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ channel: 'pin', fee: { value: 100 } })
    expect(stderr).toContain('Luis Solano')
    expect(service.payments.size).toBe(0)
    expect(existsSync(cli.stateDir)).toBe(false)
  })

  test('with --dry-run and --yes', async () => {
    const { service, cli } = await setUp()

    const { code, stdout } = await cli.run(...sending, '--dry-run', '--yes', '--json')

    expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 0, data: { channel: 'pin', fee: { value: 100 } } })
    expect(service.count('/api/payments')).toBe(0)
    expect(existsSync(cli.stateDir)).toBe(false)
  })

  test('when the service refuses it before the question', async () => {
    const { service, cli } = await setUp()
    service.before = ({ path }) => (path.endsWith('validate') ? [422, 'Insufficient balance'] : undefined)

    const { code, stderr } = await cli.ask('y\n', ...sending)

    expect(code).toBe(7)
    expect(stderr).toContain('Insufficient balance')
    expect(service.payments.size).toBe(0)
  })

  test('when the service has a payment with that key which this machine knows nothing of', async () => {
    const { service, cli } = await setUp()
    await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')
    const elsewhere = payctl(service.url)

    const { code, stderr } = await elsewhere.ask('y', ...sending, '--idempotency-key', 'order-1')

    expect(code).toBe(6)
    expect(stderr).toContain('order-1')
    expect(service.count('/api/payments')).toBe(1)
  })

  test.each([
    ['no amount', ['--to', iban], 'The amount is missing'],
    ['two amounts', ['--to', iban, '--amount', '1', '--amount-minor', '100'], 'Give one of them'],
    ['an amount with two readings', ['--to', iban, '--amount', '1,000'], 'has two readings: 1000 or 1.00'],
    ['a negative amount', ['--to', iban, '--amount', '-5'], 'is negative'],
    ['a negative amount after =', ['--to', iban, '--amount=-5'], 'is negative'],
    ['an empty amount', ['--to', iban, '--amount', ''], 'is empty'],
    ['nothing', ['--to', iban, '--amount', '0.00'], 'must be greater than 0'],
    ['too much', ['--to', iban, '--amount', '90071992547409.92'], 'is too large'],
    ['minor units with a point', ['--to', iban, '--amount-minor', '1.5'], 'whole number'],
    ['wrong check digits', ['--to', 'CR37 0123 4567 8901 2345 67', '--amount', '1'], 'give 38'],
    ['an IBAN of another country', ['--to', 'DE89370400440532013000', '--amount', '1'], 'begins with DE'],
    ['a short IBAN', ['--to', 'CR0501520200102628406', '--amount', '1'], 'has 19 digits after CR, not 20'],
    ['an IBAN without its country', ['--to', iban.slice(2), '--amount', '1'], `For an IBAN write: ${iban}`],
    ['a short phone', ['--to', '8888-123', '--amount', '1'], 'has 8 digits'],
    ['a phone of nobody', ['--to', '58881234', '--amount', '1'], 'begins with 2, 6, 7 or 8'],
    ['an empty recipient', ['--to', '', '--amount', '1'], 'it is empty'],
    ['a short description', ['--to', iban, '--amount', '1', '--description', 'Lunch'], 'has 5 characters'],
    ['a long description', ['--to', iban, '--amount', '1', '--description', '🙂'.repeat(256)], 'has 256 characters'],
    ['a key with a space', ['--to', iban, '--amount', '1', '--idempotency-key', 'a b'], 'visible ASCII'],
    ['an empty key', ['--to', iban, '--amount', '1', '--idempotency-key', ''], 'visible ASCII'],
    ['no recipient', ['--amount', '1'], '--to'],
    ['a wait without unit', ['--to', iban, '--amount', '1', '--wait-timeout', '5'], '30s'],
  ])('and requests nothing for %s', async (_, flags, text) => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.run('payments', 'send', '--from', account, '--yes', ...flags)

    expect(stderr).toContain(text)
    expect(code).toBe(2)
    expect(service.received).toEqual([])
    expect(existsSync(cli.stateDir)).toBe(false)
  })
})

describe('the journal of payments send', () => {
  test('that can’t record a payment keeps it from being sent', async () => {
    const { service, cli } = await setUp()
    const repair = breakMarking(cli.stateDir)

    const { code, stderr } = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')
    repair()
    const again = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('journal') })
    expect(again.code).toBe(0)
    expect(service.received).toHaveLength(1)
  })

  test('has the payment on disk when the request arrives, and its end afterwards', async () => {
    const { service, cli } = await setUp()
    let row: unknown
    service.before = () => {
      const journal = new Sqlite(join(cli.stateDir, 'journal.db'), { readonly: true })
      row = journal.prepare('SELECT status, idempotency_key, body FROM intents').get()
      journal.close()
      return undefined
    }

    await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')

    expect(row).toEqual({
      status: 'sent',
      idempotency_key: 'order-1',
      body: JSON.stringify({ source_account_id: account, amount: 150_025, recipient_iban: iban }),
    })
    const { stdout } = await cli.run('payments', 'intents', '--json')
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 'settled', payment_id: service.payments.get('order-1')?.id, base_url: service.url },
    ])
  })

  test('that breaks after sending does not hide the payment', async () => {
    const { service, cli } = await setUp()
    service.before = () => {
      const journal = new Sqlite(join(cli.stateDir, 'journal.db'))
      journal.exec('DROP TABLE intents')
      journal.close()
      return undefined
    }

    const { code, stdout, stderr } = await cli.run(...sending, '--yes', '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
    expect(stderr).toContain('The payment journal could not be updated')
  })

  test.each([
    ['a refusal', "NEW.status = 'rejected'", 0, 1],
    ['that nothing was sent', "NEW.status = 'prepared'", 1, 0],
  ])(
    'that can not record %s leaves the payment in doubt, because a resumption would send it',
    async (_, condition, closed, refused) => {
      const { service, cli } = await setUp()
      const repair = breakJournal(cli.stateDir, condition)
      service.before = (request) => (isPayment(request) ? [422, 'Not today'] : undefined)
      if (closed) stopOnceIdentified(service)

      const { code, stderr } = await cli.run(...sending, '--yes', '--retries', '0')
      repair()
      const { stdout } = await cli.run('payments', 'intents', '--json')

      expect(code).toBe(10)
      expect(stderr).toMatch(/was not made.*could not record this/)
      expect(stderr).toMatch(/payctl payments resume int_\w+/)
      expect(stderr).not.toContain('nothing was taken')
      expect(JSON.parse(stdout)).toMatchObject([{ status: 'sent' }])
      expect(service.received.filter(isPayment)).toHaveLength(refused)
    },
  )

  test('can be read by its owner only', async () => {
    const { cli } = await setUp()

    await cli.run(...sending, '--yes')

    expect(statSync(cli.stateDir).mode & 0o777).toBe(0o700)
    expect(statSync(join(cli.stateDir, 'journal.db')).mode & 0o777).toBe(0o600)
  })

  test('never holds the token', async () => {
    const { cli } = await setUp()

    await cli.run(...sending, '--yes')

    expect(readFileSync(join(cli.stateDir, 'journal.db')).includes('token-of-the-test')).toBe(false)
  })
})

describe('payments send with a key used before', () => {
  test('for the same payment reads it, in the form in which it was first shown, and sends nothing more', async () => {
    const { service, cli } = await setUp()
    service.statuses = ['pending']
    const first = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1', '--json')

    const second = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1', '--json')
    const third = await cli.ask('never asked', ...sending, '--idempotency-key', 'order-1', '--json')

    expect([second.code, third.code]).toEqual([0, 0])
    expect(second.stdout).toBe(first.stdout)
    expect(third.stdout).toBe(first.stdout)
    expect(service.count('/api/payments')).toBe(1)
  })

  test.each([
    ['amount', [...sending.slice(0, -1), '1500.26']],
    ['recipient', ['payments', 'send', '--from', account, '--to', '88881234', '--amount', '1500.25']],
    ['description', [...sending, '--description', 'Something else altogether']],
  ])('for another %s is refused before any request', async (_, other) => {
    const { service, cli } = await setUp()
    await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')

    const { code, stderr } = await cli.run(...other, '--yes', '--idempotency-key', 'order-1')

    expect(code).toBe(2)
    expect(stderr).toMatch(/belongs to another payment: [\d,]+\.\d\d CRC to CR05 0152 /)
    expect(service.received).toHaveLength(1)
  })

  test('while its payment is in doubt finds out, without checks that would fail for what it did', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...sending, '--yes', '--retries', '0', '--idempotency-key', 'order-1')
    service.afterCommit = () => undefined
    service.before = ({ path }) => (path.endsWith('validate') ? [422, 'Insufficient balance'] : undefined)

    const { code } = await cli.ask('never asked', ...sending, '--idempotency-key', 'order-1')

    expect(code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  test('by another run, for another payment, while the question is being prepared sends nothing', async () => {
    const { service, cli } = await setUp()
    const keyed = ['--idempotency-key', 'order-17']
    const other = sending.with(-1, '7')
    let meanwhile: Promise<{ readonly code: number }> | undefined
    service.before = ({ path }, response) => {
      if (path !== '/api/payments/validate') return undefined
      meanwhile = cli.run(...other, '--yes', ...keyed)
      const answer = { success: true, message: 'Done', data: { channel: 'pin', fee: null } }
      meanwhile.then(() => response.writeHead(200).end(JSON.stringify(answer)))
      return 'handled'
    }

    const { code, stderr } = await cli.ask('y\n', ...sending, ...keyed)

    expect((await meanwhile)?.code).toBe(0)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('another payment: 7.00 CRC to ') })
    expect([...service.payments.values()].map(({ amount }) => amount.value)).toEqual([700])
  })

  test('after a refusal is tried again', async () => {
    const { service, cli } = await setUp()
    service.before = () => [422, 'Insufficient balance']
    const first = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')
    service.before = () => undefined

    const second = await cli.run(...sending, '--yes', '--idempotency-key', 'order-1')

    expect([first.code, second.code]).toEqual([7, 0])
    expect(service.payments.size).toBe(1)
  })
})

describe('payments send leaves a payment to be resumed after', () => {
  const intents = async (cli: ReturnType<typeof payctl>) =>
    JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

  test.each([
    ['a fault: 500', 500, 10, 'unknown'],
    ['a gateway’s fault: 502', 502, 10, 'unknown'],
    ['a service that is down: 503', 503, 10, 'unknown'],
    ['a gateway’s timeout: 504', 504, 10, 'unknown'],
    ['a token that is refused: 401', 401, 4, 'prepared'],
    ['a token that may not: 403', 403, 5, 'prepared'],
    ['a rate limit: 429', 429, 11, 'prepared'],
  ])('%s', async (_, status, code, left) => {
    const { service, cli } = await setUp()
    service.before = () => [status, 'Not now']

    const sent = await cli.run(...sending, '--yes', '--retries', '0')
    const before = await intents(cli)
    service.before = () => undefined
    const resumed = await cli.run('payments', 'resume', before[0].id, '--yes')

    expect([sent.code, resumed.code]).toEqual([code, 0])
    expect(before).toMatchObject([{ status: left, payment_id: null }])
    expect(new Set(service.received.filter(isPayment).map(({ key }) => key)).size).toBe(1)
    expect(service.payments.size).toBe(1)
  })

  test('an answer that does not come in time', async () => {
    const { service, cli } = await setUp()
    service.afterCommit = () => 'handled'

    const sent = await cli.run(...sending, '--yes', '--retries', '0', '--timeout', '1s')
    const before = await intents(cli)
    service.afterCommit = () => undefined
    const resumed = await cli.run('payments', 'resume', before[0].id)

    expect([sent.code, resumed.code]).toEqual([10, 0])
    expect(before).toMatchObject([{ status: 'unknown', payment_id: null }])
    expect(service.payments.size).toBe(1)
  })
})
