import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { account, isPayment, loseAnswers, phone, recover } from '../commands/payments/service.ts'
import { limitedPayctl, rowsOf, sendingRaw, token } from '../limits/limited_payctl.ts'

async function setUp() {
  const at = await limitedPayctl()
  return { ...at, file: join(at.folder, 'state', 'audit.ndjson'), rows: at.file('rows.csv', rowsOf('10', '20')) }
}

describe('lines', () => {
  test('record a payment before it is sent, and its outcome', async () => {
    const { send, audited, service } = await setUp()

    await send('1500.25', '--idempotency-key', 'mine')

    const [payment] = service.payments.values()
    const facts = {
      profile: 'default',
      service: service.url,
      user: 'id-of-ana',
      amount: 150_025,
      payee: phone,
      key: 'mine',
    }
    expect(audited()).toMatchObject([
      { ...facts, event: 'asked', decided_by: 'flag', payment: null, intent: expect.stringMatching(/^int_/) },
      { ...facts, event: 'outcome', payment: payment?.id, what: 'accepted' },
    ])
  })

  test('record the outcome of a payment that was refused, lost, not let in, resumed', async () => {
    const at = await setUp()
    const outcomes = () =>
      at
        .audited()
        .filter(({ event }) => event === 'outcome')
        .map(({ what }) => what?.split(':')[0])

    at.service.before = (request) => (isPayment(request) ? [422, 'Refused by the test'] : undefined)
    await at.send('1')
    at.service.before = (request) => (isPayment(request) ? [403, 'Not for this token'] : undefined)
    await at.send('2')
    recover(at.service)
    loseAnswers(at.service)
    await at.send('3', '--retries', '0')
    recover(at.service)
    await at.run('payments', 'resume')

    expect(outcomes()).toEqual(['refused', 'not_sent', 'unknown', 'accepted'])
    expect(at.audited().map(({ decided_by }) => decided_by)).toEqual(
      // payctl found the last payment in the history, so it sent nothing again.
      [...['flag', 'flag', 'flag'].flatMap((by) => [by, null]), null],
    )
  })

  test('record each row of a batch, and each payment by api', async () => {
    const at = await setUp()

    await at.run('payments', 'batch', at.rows, '--yes')
    await at.run(...sendingRaw('mine'))

    expect(at.audited().filter(({ event }) => event === 'asked')).toHaveLength(3)
    expect(at.audited().filter(({ what }) => what === 'accepted')).toHaveLength(3)
    expect(at.audited().at(-1)).toMatchObject({ key: 'mine', amount: 100, payee: phone })
  })

  test('record each refusal by limits once, with its key', async () => {
    const at = await setUp()
    await at.limit('--per-day', '0.50', 'CRC')

    await at.send('1', '--idempotency-key', 'mine')
    await at.run(...sendingRaw('yours'))
    await at.run('payments', 'batch', at.rows, '--yes')

    expect(at.audited().map(({ event, key }) => [event, key])).toEqual([
      ['refused', 'mine'],
      ['refused', 'yours'],
      ['refused', expect.stringMatching(/^batch-/)],
      ['refused', expect.stringMatching(/^batch-/)],
    ])
    expect(at.audited()[0]?.what).toContain('The limits of profile default allow 0.50 CRC a day')
  })

  test('record the refusals of a live and a read-only profile, however a payment is sent', async () => {
    const at = await setUp()
    const marked = await at.run('profiles', 'set', 'default', '--base-url', at.service.url, '--live')
    expect(marked).toMatchObject({ exitCode: 0 })
    await at.limit('--confirm-above', '0.50', 'CRC')
    await at.send('1', '--idempotency-key', 'mine')
    await at.run(...sendingRaw('yours'))
    await at.run('payments', 'batch', at.rows, '--yes')
    await at.limit('--read-only')
    await at.run('webhooks', 'delete', account, '--yes')
    await at.run('api', 'DELETE', '/api/anything')
    await at.run(...sendingRaw('his'), '--header', 'X-Original-URL: /api/payments')

    const refused = at.audited().filter(({ event }) => event === 'refused')

    expect(refused.map(({ amount, payee, key }) => [amount, payee, key])).toEqual([
      [100, phone, 'mine'],
      [100, phone, 'yours'],
      [3000, null, null],
      [null, null, null],
      [null, null, null],
      [100, phone, 'his'],
    ])
    expect(refused.slice(0, 3).every(({ what }) => what?.includes('is live'))).toBe(true)
    expect(refused[3]?.what).toContain('allow reading only')
    expect(at.requested()).toBe(0)
  })

  test('hold no secret, and are nobody else’s to read', async () => {
    const at = await setUp()
    at.service.before = (request) => (isPayment(request) ? [422, `Not with ${request.authorization}`] : undefined)

    await at.send('1')
    await at.run(...sendingRaw('mine'))

    expect(readFileSync(at.file, 'utf8')).not.toContain(token)
    expect(statSync(at.file).mode & 0o777).toBe(0o600)
  })

  test('are only ever added, by several processes at once', async () => {
    const at = await setUp()
    await at.send('1')
    const before = readFileSync(at.file, 'utf8')

    const send = () => at.start(['payments', 'send', '--from', account, '--to', phone, '--amount', '2', '--yes'])
    await Promise.all([send(), send(), send()])

    expect(readFileSync(at.file, 'utf8').startsWith(before)).toBe(true)
    expect(at.audited()).toHaveLength(8)
  })
})

describe('a payment whose first line can’t be written is not sent', () => {
  const places: Record<string, (file: string) => void> = {
    'a folder is in its place': (file) => mkdirSync(file),
    'its link leads to a full device': (file) => symlinkSync('/dev/full', file),
  }

  test.each(Object.entries(places))('when %s', async (_, put) => {
    const at = await setUp()
    mkdirSync(join(at.folder, 'state'), { recursive: true })
    put(at.file)

    const runs = [
      await at.send('1'),
      await at.run(...sendingRaw('mine')),
      await at.run('payments', 'batch', at.rows, '--yes'),
    ]

    for (const { exitCode, stderr } of runs) {
      expect(stderr).toContain(`The audit file ${at.file} can't be written`)
      expect(exitCode).not.toBe(0)
    }
    expect(at.requested()).toBe(0)
  })

  test.skipIf(process.getuid?.() === 0)('when it may only be read', async () => {
    const at = await setUp()
    await at.send('1')
    chmodSync(at.file, 0o400)

    expect(await at.send('2')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be written") })
    expect(at.requested()).toBe(1)
  })

  test('when the disk has room for half of it, which the next line leaves behind', async () => {
    const at = await setUp()
    mkdirSync(join(at.folder, 'state'), { recursive: true })
    const blocks = 4096 // blocks of 512 bytes: enough for the journal
    writeFileSync(at.file, `${'x'.repeat(blocks * 512 - 41)}\n`)
    const argv = ['payments', 'send', '--from', account, '--to', phone, '--amount', '1', '--yes']

    const full = await at.startProcess(argv, { through: ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'] })

    expect(full.stderr).toContain('no space left for a whole line. Nothing was sent.')
    expect(full.exitCode).toBe(2)
    expect(at.requested()).toBe(0)
    await at.send('2')
    const { stdout, stderr } = await at.run('audit', '-o', 'json')
    expect(JSON.parse(stdout).map(({ amount }: { amount: number }) => amount)).toEqual([200, 200])
    expect(stderr).toContain('2 lines of the audit file')
  })

  test('but after rows were sent, a note reports lines that may be lost', async () => {
    const at = await setUp()
    const nodeArgs = ['--require', fileURLToPath(new URL('no_sync.cjs', import.meta.url))]

    const { exitCode, stderr } = await at.startProcess(['payments', 'batch', at.rows, '--yes'], { nodeArgs })

    expect(stderr).toContain('The last lines of the audit file may be lost: EIO')
    expect(exitCode).toBe(0)
    expect(at.service.payments.size).toBe(2)
  })

  test('and a line that a full disk cut off spoils no later line of the run', async () => {
    const at = await setUp()
    const nodeArgs = ['--require', fileURLToPath(new URL('full_disk.cjs', import.meta.url))]
    writeFileSync(at.rows, rowsOf('10', '20', '30'))

    await at.startProcess(['payments', 'batch', at.rows, '--yes'], { nodeArgs })
    const { stdout, stderr } = await at.run('audit', '-o', 'json')

    expect(at.service.payments.size).toBe(3)
    expect(stderr).toContain("1 line of the audit file can't be read.")
    expect(JSON.parse(stdout).filter(({ event }: { event: string }) => event === 'outcome')).toHaveLength(1)
  })

  test('nor does it count: sent later, it is paid once', async () => {
    const at = await setUp()
    await at.limit('--per-day', '10', 'CRC')
    mkdirSync(at.file)
    await at.send('8', '--idempotency-key', 'mine')
    await at.run(...sendingRaw('yours'))
    rmSync(at.file, { recursive: true })

    expect((await at.send('8', '--idempotency-key', 'mine')).exitCode).toBe(0)
    expect((await at.run(...sendingRaw('yours'))).exitCode).toBe(0)
    expect((await at.send('1.01')).exitCode).toBe(5)
    expect((await at.send('1')).exitCode).toBe(0)
    expect(at.service.payments.size).toBe(3)
  })
})

describe('payctl audit', () => {
  test('counts lines that were cut off or changed, and begins a new line after them', async () => {
    const at = await setUp()
    await at.send('1')
    truncateSync(at.file, statSync(at.file).size - 30)
    await at.send('2')
    appendFileSync(at.file, 'no line\n')
    await at.send('3')

    const { exitCode, stdout, stderr } = await at.run('audit', '-o', 'json')

    expect(exitCode).toBe(0)
    expect(stderr).toContain("2 lines of the audit file can't be read.")
    expect(JSON.parse(stdout).map(({ amount }: { amount: number }) => amount)).toEqual([100, 200, 200, 300, 300])
  })

  test('shows the last so many, of then or later, or before', async () => {
    const at = await setUp()
    for (const amount of ['1', '2', '3']) await at.send(amount)
    const lines = JSON.parse((await at.run('audit', '-o', 'json')).stdout)

    const last = JSON.parse((await at.run('audit', '-n', '2', '-o', 'json')).stdout)
    const since = JSON.parse((await at.run('audit', '--since', lines[2].time, '-o', 'json')).stdout)

    const before = JSON.parse((await at.run('audit', '--since', '7d', '--until', lines[2].time, '-o', 'json')).stdout)

    expect(last).toEqual(lines.slice(-2))
    expect(before).toEqual(lines.slice(0, 2))
    expect((await at.run('audit', '--excel', 'es-CR', '--columns', 'amount')).stdout).toMatch(/^\W*amount\s+1,00\s/)
    expect(since).toEqual(lines.slice(2))
  })

  test('shows no line of a service’s or a file’s as more than text', async () => {
    const at = await setUp()
    at.service.before = (request) => (isPayment(request) ? [422, 'No\u001b[2Jthing\u202e'] : undefined)
    await at.send('1')

    const { stdout } = await at.run('audit', '-o', 'wide')

    for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character)
  })

  test('says that there is nothing without a file, and is not misled by a folder', async () => {
    const at = await setUp()
    expect(await at.run('audit')).toMatchObject({ exitCode: 0 })
    mkdirSync(join(at.folder, 'state'), { recursive: true })
    writeFileSync(at.file, '')
    expect(JSON.parse((await at.run('audit', '-o', 'json')).stdout)).toEqual([])
    rmSync(at.file)
    mkdirSync(at.file)
    expect(await at.run('audit')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be read") })
  })
})
