import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, linkSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { rowsOf } from './batch_file.ts'
import { fileOf, setUp } from './batch_service.ts'
import { isPayment, loseAnswers } from './service.ts'

/** Makes the journal refuse changes of its intents, or removes the table of intents. */
function breakJournal(stateDir: string, how: 'DROP TABLE intents' | 'trigger'): void {
  const journal = new Sqlite(join(stateDir, 'journal.db'))
  const refuse = "CREATE TRIGGER broken BEFORE UPDATE ON intents BEGIN SELECT RAISE(FAIL, 'broken'); END"
  journal.exec(how === 'trigger' ? refuse : how)
  journal.close()
}

test('rows that never left are not a success: exit 12', async () => {
  const { service, batch } = await setUp(3)
  service.before = ({ path }, response) => {
    // This is the last request before the payments: after it, the service refuses connections.
    if (path === '/api/payments/validate') {
      response.setHeader('Connection', 'close')
      setImmediate(() => service.stop())
    }
    return undefined
  }

  const { code, stdout, stderr } = await batch()

  expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['not_sent', 'not_sent', 'not_sent'])
  expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining('3 not sent') })
  expect(stderr).toMatch(/payctl payments resume --batch b_/)
})

test('a payment that is read back without its id is the one that was asked for', async () => {
  const { service, batch } = await setUp(2)
  service.before = ({ method, path }) => {
    const id = path.split('/').at(-1)
    const payment = [...service.payments.values()].find((candidate) => candidate.id === id)
    if (method !== 'GET' || !payment) return undefined
    const { id: _, ...nameless } = payment
    return [200, { ...nameless, status: 'completed' }]
  }

  const { code, stdout } = await batch('--wait')

  const made = [...service.payments.values()].map(({ id }) => id).sort()
  const rows = rowsOf(stdout)
  expect({ code, statuses: rows.map(({ status }) => status) }).toEqual({
    code: 0,
    statuses: ['completed', 'completed'],
  })
  expect(rows.map(({ payment_id }) => payment_id).sort()).toEqual(made)
})

test('--wait asks nothing before the time that the service named is over, and not past its own timeout', async () => {
  const { service, batch } = await setUp(1)
  let refused = 0
  service.before = ({ method, path }, response) => {
    if (method !== 'GET' || ![...service.payments.values()].some(({ id }) => path.endsWith(id))) return undefined
    response.setHeader('Retry-After', 60)
    refused += 1
    return [429, { code: '429', message: 'Too Many Requests' }]
  }

  const { code, stdout } = await batch('--wait', '--wait-timeout', '1s')

  expect({ code, refused }).toEqual({ code: 9, refused: 1 })
  expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['pending'])
})

describe('a journal that breaks on the way', () => {
  test.each(['DROP TABLE intents', 'trigger'] as const)('is reported correctly: %s', async (how) => {
    const { service, cli, batch } = await setUp(90)
    service.afterCommit = () => {
      if (service.payments.size === 5) breakJournal(cli.stateDir, how)
      return undefined
    }

    const { code, stdout, stderr } = await batch('--concurrency', '1')

    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('journal') })
    expect(stderr).not.toContain('Nothing was sent')
    expect(stderr).not.toMatch(/\bbug\b/)
    expect(stderr).toMatch(/payctl payments resume --batch b_/)
    const told = rowsOf(stdout).filter(({ status }) => status !== 'not_sent')
    expect(told.length).toBe(service.payments.size)
  })
})

describe('a result that cannot be written, of rows that were paid, is exit 10 and says where to look', () => {
  test('on stdout', async () => {
    const { service, cli, argv } = await setUp(20)

    const { code, stderr } = await cli.start(argv, { shell: 'exec > /dev/full' }).finished

    expect(service.payments.size).toBe(20)
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringMatching(/20 of 20 rows sent/) })
    expect(stderr).toMatch(/payctl payments batch show b_/)
  })

  test('in a file', async () => {
    const { service, cli, argv } = await setUp(20)

    const { code, stderr } = await cli.start([...argv, '--output-file', cli.file('full.csv', '')], {
      shell: `cd '${cli.folder}'; rm full.csv; mkfifo full.csv; true < full.csv & true`,
    }).finished

    expect(service.payments.size).toBe(20)
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringMatching(/20 of 20 rows sent/) })
    expect(stderr).toContain('full.csv')
    expect(stderr).toMatch(/payctl payments batch show b_/)
  })
})

describe('the result of a batch, in a file', () => {
  test('is in a new one: others have neither the former one open nor a link in its place', async () => {
    const { cli, batch } = await setUp(2)
    const result = cli.file('result.ndjson', 'of last month\n')
    chmodSync(result, 0o666)
    linkSync(result, join(cli.folder, 'theirs'))

    expect((await batch('--output-file', result)).code).toBe(0)

    expect(rowsOf(readFileSync(result, 'utf8'))).toHaveLength(2)
    expect(statSync(result).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cli.folder, 'theirs'), 'utf8')).toBe('of last month\n')
  })

  test('is not written through a link, and nothing is sent', async () => {
    const { service, cli, batch } = await setUp(2)
    const mine = cli.file('mine', 'untouched')
    const result = join(cli.folder, 'result.csv')
    symlinkSync(mine, result)

    const { code, stderr } = await batch('--output-file', result)

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${result} is a link. Nothing was sent`),
    })
    expect(readFileSync(mine, 'utf8')).toBe('untouched')
    expect(service.payments.size).toBe(0)
  })

  test('is not put through a pipe that nobody reads, and nothing is sent', async () => {
    const { service, cli, batch } = await setUp(2)
    const pipe = join(cli.folder, 'result.csv')
    execFileSync('mkfifo', [pipe])

    const { code, stderr } = await batch('--output-file', pipe)

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${pipe}: no program reads it. Nothing was sent`),
    })
    expect(service.payments.size).toBe(0)
  })

  test('is not put through a pipe of another user', async (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can make files of others')
    const { service, cli, batch } = await setUp(2)
    const pipe = join(cli.folder, 'result.csv')
    execFileSync('mkfifo', [pipe])
    chownSync(pipe, 60_001, 60_001)
    const reader = execFile('cat', [pipe])
    onTestFinished(() => void reader.kill())

    const { code, stderr } = await batch('--output-file', pipe)

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('belongs to another user') })
    expect(service.payments.size).toBe(0)
  })
})

describe('the file of payments is never overwritten by its result', () => {
  test('by another name of it', async () => {
    const { service, cli, file, batch } = await setUp(2)
    linkSync(file, join(cli.folder, 'same.csv'))

    const { code, stderr } = await batch('--output-file', join(cli.folder, 'same.csv'))

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the file of payments itself') })
    expect(readFileSync(file, 'utf8')).toBe(fileOf(2))
    expect(service.received).toEqual([])
  })

  test('read from stdin', async () => {
    const { service, cli, file } = await setUp(2)

    const { code } = await cli.start(['payments', 'batch', '-', '--yes', '--output-file', file], {
      shell: `exec < '${file}'`,
    }).finished

    expect(code).toBe(2)
    expect(readFileSync(file, 'utf8')).toBe(fileOf(2))
    expect(service.received).toEqual([])
  })
})

test('a batch is not named like an option: the command that resumes it would not mean it', async () => {
  const { service, batch } = await setUp(1)

  const { code, stderr } = await batch('--batch-id=--yes')

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('not beginning with -') })
  expect(service.received).toEqual([])
})

describe('a row in doubt that is not in the file any more', () => {
  test.each([[['--batch-id', '2026-11']], [['--skip-sent']]])('keeps the rest from leaving: %j', async (flags) => {
    const { service, cli, batch } = await setUp(3)
    let count = 0
    service.afterCommit = (_, response) => {
      count += 1
      if (count !== 3) return undefined
      response.destroy()
      return 'handled'
    }
    const first = await batch('--concurrency', '1', ...flags)
    cli.file('a.csv', fileOf(3).replace('1.12', '9.12'))

    const corrected = await batch(...flags)
    const paid = service.payments.size
    await cli.run('payments', 'resume')
    const after = await batch(...flags)

    expect([first.code, corrected.code, after.code]).toEqual([10, 2, 0])
    expect(corrected.stderr).toMatch(/1 row .*in doubt/)
    expect(corrected.stderr).toContain('payctl payments resume')
    expect(paid).toBe(3)
    expect(service.payments.size).toBe(4)
  })
})

test('a service that refuses without a wait is not stormed', async () => {
  const { service, argv, cli } = await setUp(8)
  /** Time of each refusal, in milliseconds. */
  const refusals: number[] = []
  service.before = (request, response) => {
    if (!isPayment(request)) return undefined
    refusals.push(performance.now())
    response.setHeader('Retry-After', '0')
    return [429, 'Too Many Attempts.']
  }
  const { child, finished } = cli.start([...argv, '--concurrency', '8'])
  await vi.waitFor(() => expect(refusals.length).toBeGreaterThan(8), 10_000)
  child.kill('SIGINT')
  await finished

  // payctl first sends each row once, then waits before it sends a row again.
  expect((refusals[8] ?? 0) - (refusals[0] ?? 0)).toBeGreaterThan(900)
})

test('interrupted, it says at once what it waits for and how to go on', async () => {
  const { service, cli, argv } = await setUp(20)
  service.afterCommit = () => (service.payments.size === 7 ? 'handled' : undefined)
  const { child, said, finished } = cli.start([...argv, '--concurrency', '1'])
  await vi.waitFor(() => expect(service.payments.size).toBe(7), 10_000)
  child.kill('SIGINT')
  await vi.waitFor(() => expect(said.stderr).toMatch(/payctl payments resume --batch b_/), 4_000)
  await vi.waitFor(() => {
    child.kill('SIGINT')
    expect(child.exitCode).toBe(130)
  }, 4_000)

  await finished
})

test('a payment of another user’s is not called rejected', async () => {
  const { service, cli, batch } = await setUp(2)
  loseAnswers(service)
  await batch()
  service.before = (request) => {
    if (isPayment(request)) return [422, 'Source account does not exist']
    if (request.path.startsWith('/api/accounts/')) return [404, 'Account not found']
    if (request.path === '/api/payments/history') return [200, { ...emptyPage }]
    return undefined
  }

  const { code } = await cli.run('payments', 'resume', '--batch', (await nameOf(cli)) ?? '')

  expect(code).toBe(10)
})

const emptyPage = { current_page: 1, data: [], last_page: 1, per_page: 15, total: 0 }

const nameOf = async (cli: Awaited<ReturnType<typeof setUp>>['cli']): Promise<string | undefined> =>
  JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)[0]?.batch
