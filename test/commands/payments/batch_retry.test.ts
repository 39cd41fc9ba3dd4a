import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { batchWorld, colones, heading, payees, rowsOf } from './batch_file.ts'
import { fileOf, setUp } from './batch_service.ts'
import { later, payctl } from './payctl.ts'
import { isPayment, loseAnswers, recover, startService } from './service.ts'

const [, phone = ''] = payees

/** Phone to which payments fail. */
const failing = '87000006'

type World = Awaited<ReturnType<typeof batchWorld>>

/** Pays these rows as a batch with the id `run`. */
async function paid(world: World, ...rows: readonly string[]) {
  const file = world.file('a.csv', [heading, ...rows].join('\n'))
  await world.batch(file, '--batch-id', 'run', '--wait')
  return file
}

const row = (to: string, amount: string, reference = '', description = `Payment of ${amount} in all`): string =>
  `${to},${amount},${description},${colones.id},${reference}`

const retry = ({ run }: World, ...flags: readonly string[]) =>
  run('payments', 'batch', 'retry', 'run', '--failed', '--yes', '--output', 'ndjson', ...flags)

const addToRegistry = ({ run }: World, number: string) =>
  run('emulator', 'registry', 'add', '--phone', number, '--name', 'New here', '--document', '0101110099')

test('sends rows again that were refused and that failed, and no others, with every reason shown', async () => {
  const world = await batchWorld()
  await paid(world, row(phone, '1'), row(failing, '2', 'x'), row('87999999', '3'))
  await addToRegistry(world, '87999999')

  const { code, stdout, stderr } = await retry(world, '--wait')

  expect(stderr).toMatch(/^ {2}1 row refused: .+ \(line 4\)$/m)
  expect(stderr).toMatch(/^ {2}1 row \w+: .+ \(line 3\)$/m)
  expect(stderr).toContain('Sending 2 rows of batch run again, 5.00 CRC, at the emulator')
  expect(rowsOf(stdout).toSorted((a, b) => Number(a.line) - Number(b.line))).toMatchObject([
    { line: 3, status: 'failed', reference: 'x' },
    { line: 4, status: 'completed' },
  ])
  expect(code).toBe(8)
  expect((await world.payments()).map(({ amount }) => amount.value).sort()).toEqual([100, 200, 200, 300])
})

test('run twice, and twice at once, pays each row once', async () => {
  const world = await batchWorld()
  await paid(world, row(phone, '1'), row(failing, '2'), row('87999999', '3'))
  await addToRegistry(world, '87999999')

  await Promise.all([retry(world), retry(world)])
  const again = await world.batch(join(world.folder, 'a.csv'), '--batch-id', 'run', '--output', 'ndjson')

  const payments = await world.payments()
  const sums = (status: string) =>
    payments
      .filter((one) => one.status === status)
      .map(({ amount }) => amount.value)
      .sort((a, b) => a - b)
  expect(sums('completed')).toEqual([100, 300])
  // If the second retry begins after the first has ended, it tries the failed row again.
  expect([2, 3]).toContain(sums('failed').length)
  expect(rowsOf(again.stdout)).toHaveLength(3)
})

test('a row that was sent again is linked to the first, is reported instead of it, and is refused until it has failed too', async () => {
  const world = await batchWorld()
  const file = await paid(world, row(failing, '2'))
  const first = await retry(world)
  const intents = JSON.parse((await world.run('payments', 'intents', '--batch', 'run', '--json')).stdout)
  const [repeated, original] = intents
  const told = await world.batch(file, '--batch-id', 'run', '--output', 'ndjson')

  const second = await retry(world)

  expect(first.code).toBe(0)
  expect(repeated).toMatchObject({ retry_of: original.id, batch: 'run', line: 2 })
  expect(rowsOf(told.stdout)).toMatchObject([{ intent: repeated.id, status: 'failed' }])
  expect(second.code).toBe(0)
  expect(await world.payments()).toHaveLength(3)
})

test('a row whose repetition is under way or has paid is refused', async () => {
  const { service, cli, argv } = await setUp(2)
  await cli.run(...argv, '--batch-id', 'run')
  for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'failed' })
  service.before = ({ method, path }) => {
    const payment = [...service.payments.values()].find(({ id }) => path.endsWith(`/${id}`))
    return method === 'GET' && payment ? [200, payment] : undefined
  }
  const again = ['payments', 'batch', 'retry', 'run', '--failed', '--yes', '--output', 'ndjson']

  const first = await cli.run(...again)
  const second = await cli.run(...again)

  expect(first).toMatchObject({ code: 0 })
  expect(second).toMatchObject({ code: 2, stdout: '' })
  expect(second.stderr).toContain('2 rows sent again before')
  expect(service.received.filter(isPayment)).toHaveLength(4)
  expect(new Set(service.payments.keys()).size).toBe(4)
})

test.each([
  ['completed', 'completed', 'No row of batch run was refused or has failed'],
  ['processing', 'timeout', '1 row, the service no longer confirms that they failed'],
])('a row is not paid again if its payment timed out and is %s now', async (now, listed, reason) => {
  const { service, cli, argv } = await setUp(1)
  await cli.run(...argv, '--batch-id', 'run')
  service.statuses = ['timeout']
  const earlier = await cli.run(...argv, '--batch-id', 'run')
  service.statuses = [now]

  const { code, stderr } = await cli.run('payments', 'batch', 'retry', 'run', '--failed', '--yes')
  const later = await cli.run(...argv, '--batch-id', 'run')

  expect(rowsOf(earlier.stdout)).toMatchObject([{ status: 'timeout' }])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) })
  expect(rowsOf(later.stdout)).toMatchObject([{ status: listed }])
  expect(service.received.filter(isPayment)).toHaveLength(1)
})

describe('a repetition that was not accepted is not sent if its first payment has completed since', () => {
  /** A batch with one row, whose payment timed out, and whose repetition the service answered with `status`. */
  async function withRepetition(status: number) {
    const { service, cli, argv } = await setUp(1)
    await cli.run(...argv, '--batch-id', 'run')
    service.statuses = ['timeout']
    service.before = (request) => (isPayment(request) ? [status, 'Not now'] : undefined)
    const again = () => cli.run('payments', 'batch', 'retry', 'run', '--failed', '--yes')
    await again()
    recover(service)
    service.statuses = ['completed']
    const [{ id }] = JSON.parse((await cli.run('payments', 'intents', '--batch', 'run', '--json')).stdout)
    return { service, cli, again, id: String(id) }
  }

  test('by another retry', async () => {
    const { service, again } = await withRepetition(422)

    const { code, stderr } = await again()

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no longer confirms that they failed'),
    })
    expect(service.payments.size).toBe(1)
  })

  test.each(['completed', 'processing'])('by a resumption, if the first payment is %s', async (status) => {
    const { service, cli, id } = await withRepetition(403)
    service.statuses = [status]

    const batch = await cli.run('payments', 'resume', '--batch', 'run', '--yes')
    const one = await cli.run('payments', 'resume', id, '--yes')

    expect({ code: batch.code, stderr: batch.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/Left out: 1 row\. The service no longer confirms .*\n.*has no unfinished rows/),
    })
    expect({ code: one.code, stderr: one.stderr }).toEqual({
      code: 6,
      stderr: expect.stringMatching(/int_\w+ was not sent: it repeats int_\w+, and the service no longer confirms/),
    })
    expect(service.payments.size).toBe(1)
  })

  test('but is sent by a resumption while the first payment has failed', async () => {
    const { service, cli } = await withRepetition(403)
    service.statuses = ['timeout']

    const { code } = await cli.run('payments', 'resume', '--batch', 'run', '--yes')

    expect(code).toBe(0)
    expect(service.payments.size).toBe(2)
  })
})

describe('of a row with several payments, a first payment that has completed since', () => {
  /** A batch, and a service that returns the status of each payment as `set` has set it, in order. */
  async function withStatuses(rows = 1) {
    const service = await startService()
    const cli = payctl(service.url)
    await cli.run('payments', 'batch', cli.file('a.csv', fileOf(rows)), '--yes', '--batch-id', 'run')
    const read = (path: string) => [...service.payments.values()].find(({ id }) => path.endsWith(`/${id}`))
    service.before = ({ path }) => (read(path) ? [200, read(path)] : undefined)
    const set = (...statuses: readonly string[]) => {
      for (const [at, [key, payment]] of [...service.payments].entries())
        service.payments.set(key, { ...payment, status: statuses[at] ?? payment.status })
    }
    const again = ['payments', 'batch', 'retry', 'run', '--failed', '--retries', '0']
    return { service, cli, set, again, retry: () => cli.run(...again, '--yes') }
  }

  test('leaves the row out of another retry', async () => {
    const { service, set, retry } = await withStatuses()
    set('timeout')
    const repeated = await retry()
    set('completed', 'failed')

    const { code, stderr } = await retry()

    expect(repeated.code).toBe(0)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no longer confirms that they failed'),
    })
    expect(service.payments.size).toBe(2)
  })

  test('leaves a repetition in doubt that is not in the history', async () => {
    const { service, cli, set, retry } = await withStatuses()
    set('timeout')
    const { before } = service
    service.before = (request, response) => {
      if (!isPayment(request)) return before(request, response)
      response.destroy()
      return 'handled'
    }
    const lost = await retry()
    service.before = before
    set('completed')

    const { code, stdout, stderr } = await cli.run('payments', 'resume', '--batch', 'run', '--yes')

    expect([lost.code, code]).toEqual([10, 10])
    expect(`${stdout}${stderr}`).toContain('the service no longer confirms that this payment failed')
    expect(service.payments.size).toBe(1)
  })

  test('during the question leaves the row out of the retry', async () => {
    const { service, cli, set, again } = await withStatuses(2)
    set('timeout', 'timeout')

    const { code, stderr } = await cli.ask(
      async () => {
        set('completed')
        return 'y\r'
      },
      ...again,
    )

    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('no longer confirms that this') })
    expect(stderr).toContain('1 of 2 rows sent, 1 not sent')
    expect(stderr).not.toContain('Nothing was sent')
    expect(stderr).not.toContain('paid twice')
    expect(service.payments.size).toBe(3)
  })

  test('during the question prevents the resumption of a repetition', async () => {
    const { service, cli, set, retry } = await withStatuses()
    set('timeout')
    const { before: answer } = service
    service.before = (request, response) => (isPayment(request) ? [403, 'Not now'] : answer(request, response))
    await retry()
    service.before = answer
    const [{ id }] = JSON.parse((await cli.run('payments', 'intents', '--batch', 'run', '--json')).stdout)

    const { code, stderr } = await cli.ask(
      async () => {
        set('completed')
        return 'y\r'
      },
      'payments',
      'resume',
      id,
    )

    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('no longer confirms that this') })
    expect(service.payments.size).toBe(1)
  })

  test('during the question leaves a repetition in doubt', async () => {
    const { service, cli, set, again } = await withStatuses(2)
    set('timeout', 'timeout')
    const { before: answer } = service
    service.before = (request, response) => {
      if (!isPayment(request)) return answer(request, response)
      if (service.received.filter(isPayment).length > 3) return [403, 'Not now']
      response.destroy()
      return 'handled'
    }
    await cli.run(...again, '--yes', '--concurrency', '1')
    service.before = answer

    const { code, stderr, stdout } = await cli.ask(
      async () => {
        set('completed', 'completed')
        return 'y\r'
      },
      'payments',
      'resume',
      '--batch',
      'run',
    )

    expect(code).toBe(10)
    expect(stderr).toContain('1 row in doubt is sent again')
    expect(`${stdout}${stderr}`).toContain('the service no longer confirms that this payment failed')
    expect(service.payments.size).toBe(2)
  })

  test.each<[string, (id: string) => readonly string[]]>([
    ['batch show', () => ['payments', 'batch', 'show', 'run']],
    ['batch retry', () => ['payments', 'batch', 'retry', 'run', '--yes']],
    ['payments get', (id) => ['payments', 'get', id]],
    ['payments history', () => ['payments', 'history', '--quiet']],
  ])('is reported with its repetition by %s, and both are rows of the batch', async (_, argvOf) => {
    const { service, cli, set, retry } = await withStatuses()
    set('timeout')
    await retry()
    const [first = '', second = ''] = [...service.payments.values()].map(({ id }) => id)
    set('completed', 'completed')

    const { stderr } = await cli.run(...argvOf(first))
    const shown = await cli.run('payments', 'batch', 'show', 'run', '--output', 'ndjson')

    const warning = new RegExp(
      `line 2 of batch run may be paid twice: payment ${first} completed .* ${second} repeats it`,
      'g',
    )
    expect(stderr.match(warning)).toHaveLength(1)
    expect(shown.stderr.match(warning)).toHaveLength(1)
    expect(rowsOf(shown.stdout)).toMatchObject([
      { line: 2, payment_id: first, status: 'completed' },
      { line: 2, payment_id: second, status: 'completed' },
    ])
    expect(shown.stderr).toContain('2 completed')
  })
})

test('of a large batch, batch show reads the first payments too, however much later they were repeated', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  service.before = ({ path }) => {
    const payment = [...service.payments.values()].find(({ id }) => path.endsWith(`/${id}`))
    return payment && [200, payment]
  }
  const end = (status: string, created_at = new Date().toISOString()) => {
    for (const [key, payment] of service.payments)
      if (payment.status === 'pending') service.payments.set(key, { ...payment, status, created_at })
  }
  await cli.run('payments', 'batch', cli.file('a.csv', fileOf(26)), '--yes', '--batch-id', 'run')
  end('timeout')
  later(2 * 24 * 3_600_000)
  await cli.run('payments', 'batch', 'retry', 'run', '--failed', '--yes')
  end('completed')
  const [[key = '', first] = []] = [...service.payments]
  if (first) service.payments.set(key, { ...first, status: 'completed' })

  const { stderr } = await cli.run('payments', 'batch', 'show', 'run')

  expect(stderr).toContain(`of batch run may be paid twice: payment ${first?.id} completed`)
})

test('a repetition in doubt is reported once it is found, if its first payment has completed meanwhile', async () => {
  const { service, cli, argv } = await setUp(1)
  await cli.run(...argv, '--batch-id', 'run')
  const [[key = '', first] = []] = [...service.payments]
  const show = (status: string) => {
    if (first) service.payments.set(key, { ...first, status })
    service.before = ({ path }) => (path.endsWith(`/${first?.id}`) ? [200, { ...first, status }] : undefined)
  }
  show('timeout')
  loseAnswers(service)
  expect((await cli.run('payments', 'batch', 'retry', 'run', '--yes', '--retries', '0')).code).toBe(10)
  service.afterCommit = () => undefined
  show('completed')
  expect((await cli.run('payments', 'batch', 'show', 'run')).stderr).not.toContain('paid twice')

  const { stderr } = await cli.run('payments', 'resume')

  expect(stderr).toContain(`line 2 of batch run may be paid twice: payment ${first?.id} completed`)
})

test('rows in doubt are left for resume', async () => {
  const { service, cli, argv } = await setUp(3)
  loseAnswers(service)
  await cli.run(...argv, '--batch-id', 'run')
  recover(service)

  const { code, stderr } = await cli.run('payments', 'batch', 'retry', 'run', '--failed', '--yes')

  expect(code).toBe(2)
  expect(stderr).toMatch(/3 rows in doubt.*payctl payments resume --batch run/)
  expect(service.received.filter(isPayment)).toHaveLength(3)
})

test.each([
  ['the same payee and amount', row(failing, '2', '', 'By another name this time')],
  ['the same description and amount, to another payee', row(phone, '2', '', 'Payment of 2 in all')],
  ['the same reference', row(phone, '2.50', 'INV-1', 'Corrected in all its parts')],
])('a row that was perhaps paid since, with %s, is left out', async (_, replacement) => {
  const world = await batchWorld()
  await paid(world, row('87999999', '2', 'INV-1').replace('87999999', failing))
  const corrected = world.file('b.csv', [heading, replacement].join('\n'))
  await world.batch(corrected, '--batch-id', 'run-2')
  const before = (await world.payments()).length

  const { code, stderr } = await retry(world)

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/perhaps paid since, as int_\w+/) })
  expect(await world.payments()).toHaveLength(before)
})

test('a refused row that its file has no more is not sent again', async () => {
  const world = await batchWorld()
  await paid(world, row(phone, '1'), row('87999999', '3'))
  await world.batch(world.file('a.csv', [heading, row(phone, '1'), row(phone, '4')].join('\n')), '--batch-id', 'run')
  await addToRegistry(world, '87999999')

  const { code, stderr } = await retry(world)

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('No row of batch run was refused') })
})

test('a row whose repetition was refused is sent again after its file was run again', async () => {
  const { service, cli, argv } = await setUp(1)
  await cli.run(...argv, '--batch-id', 'run')
  for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'failed' })
  const refuse = (isRefused: boolean) => {
    service.before = (request) => {
      if (isPayment(request)) return isRefused ? [422, 'Insufficient balance'] : undefined
      const payment = [...service.payments.values()].find(({ id }) => request.path.endsWith(`/${id}`))
      return payment ? [200, payment] : undefined
    }
  }
  const again = ['payments', 'batch', 'retry', 'run', '--failed', '--yes', '--output', 'ndjson']
  refuse(true)
  const refused = await cli.run(...again)
  const listed = await cli.run(...argv, '--batch-id', 'run')
  refuse(false)

  const { code, stdout } = await cli.run(...again)

  expect(rowsOf(refused.stdout)).toMatchObject([{ line: 2, status: 'rejected' }])
  expect(rowsOf(listed.stdout)).toMatchObject([{ line: 2, status: 'failed' }])
  expect({ code, rows: rowsOf(stdout) }).toMatchObject({ code: 0, rows: [{ line: 2, status: 'pending' }] })
  expect(service.payments.size).toBe(2)
})

test('needs the name of a batch that is there, and takes ./retry for a file', async () => {
  const world = await batchWorld()
  await paid(world, row(failing, '2'))
  const file = world.file('retry', [heading, row(phone, '7')].join('\n'))

  const runs = [
    await world.run('payments', 'batch', 'retry', 'nothing', '--yes'),
    await world.run('payments', 'batch', 'retry', 'run'),
  ]
  const asFile = await world.batch(file)

  expect(runs.map(({ code }) => code)).toEqual([3, 2])
  const hints = [/has no batch nothing/, /can't ask without a terminal/]
  for (const [at, hint] of hints.entries()) expect(runs[at]?.stderr).toMatch(hint)
  expect(asFile.code).toBe(0)
  expect((await world.payments()).map(({ amount }) => amount.value).sort()).toEqual([200, 700])
})
