import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { full } from '../support/full.ts'
import { startPayctl } from '../support/payctl_process.ts'
import { failure, type Reply, startStub, success } from '../support/stub.ts'

const [maria, laura, carlos, nobody] = ['88001234', '88005678', '87000001', '61234567']

const columnOf = (name: string, tsv: string): string[] => {
  const [names = [], ...rows] = tsv
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return rows.map((row) => row[names.indexOf(name)] ?? '')
}

async function fileOf(content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payctl-lookup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'values.txt')
  await writeFile(path, content)
  return path
}

/** A service that knows every number; `answer` may answer instead. */
async function startRegistry(answer: (number: string, response: ServerResponse) => Reply | 'later' | undefined) {
  const reply: Reply = (response, request) => {
    const number = request.url?.split('/').at(-1) ?? ''
    const own = answer(number, response)
    if (own === 'later') return
    if (typeof own === 'function') return own(response, request)
    const [status, body, headers] = own ?? [200, success({ phone_number: number, status: 'registered', name: 'Ana' })]
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const stub = await startStub(reply)
  const numbers = () => stub.received.map(({ url }) => url.split('/').at(-1))
  return { service: { baseUrl: stub.url, token: 'token-of-the-test' }, numbers }
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `8${String(at).padStart(7, '0')}`)

describe('many values', () => {
  it('get a row each, in order; what is not found or not valid is marked, with the reason', async () => {
    const { emulator } = await startWorld()
    const { stdout, stderr, exitCode } = await startPayctl(emulator, ['phone', maria, nobody, 'abc', laura], {
      input: '',
    })
    expect(columnOf('phone_number', stdout)).toEqual([maria, nobody, 'abc', laura])
    expect(columnOf('status', stdout)).toEqual(['registered', 'not_found', 'invalid', 'registered'])
    expect(columnOf('reason', stdout)).toEqual([
      '',
      'Phone number not found in SINPE registry',
      expect.stringContaining('is not a Costa Rican phone number'),
      '',
    ])
    expect(stderr).toContain('error: 1 of 4 invalid. 1 not found.\n')
    expect(exitCode).toBe(2)
  })

  it.each([
    [[maria, laura], 0],
    [[maria, nobody], 3],
    [[nobody, 'abc'], 2],
    [['abc', maria], 2],
  ])('%j end with exit %i', async (values, code) => {
    const { emulator } = await startWorld()
    expect((await startPayctl(emulator, ['phone', ...values], { input: '' })).exitCode).toBe(code)
  })

  it.each([
    ['lines of a pipe', [], `${maria}\n${nobody}\n`],
    ['a last line without end', ['-'], `${maria}\n${nobody}`],
    ['lines from Windows, spaces, blank lines and comments', [], `\ufeff ${maria} \r\n\r\n# others\r\n${nobody}\r\n`],
    ['UTF-16', [], Buffer.from(`\ufeff${maria}\r\n${nobody}\r\n`, 'utf16le')],
    ['arguments around stdin', [maria, '-'], `${nobody}\n`],
  ])('come from %s', async (_, argv, input) => {
    const { emulator } = await startWorld()
    const { stdout } = await startPayctl(emulator, ['phone', ...argv], { input })
    expect(columnOf('phone_number', stdout)).toEqual([maria, nobody])
  })

  it('come from a file, in which a single one is a list too', async () => {
    const { emulator } = await startWorld()
    const path = await fileOf(`${carlos}\n`)
    const { stdout, exitCode } = await startPayctl(emulator, ['phone', '--file', path, '--json'])
    expect({ exitCode, found: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      found: [{ name: 'Carlos Jiménez Mora' }],
    })
  })

  it('of IBANs are looked up the same way', async () => {
    const { emulator } = await startWorld()
    const lines = 'CR73 0151 0010 0000 0000 01\nCR74015100100000000001\nCR61010200100000000001\n'
    const { stdout, exitCode } = await startPayctl(emulator, ['iban', '-o', 'ndjson'], { input: lines })
    expect(exitCode).toBe(2)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { iban: 'CR73015100100000000001', name: 'Carlos Jiménez Mora' },
      { iban: 'CR74015100100000000001', status: 'invalid', reason: expect.stringContaining('check digits are 74') },
      { iban: 'CR61010200100000000001', status: 'not_found' },
    ])
  })

  it('are printed as they are answered, while the pipe stays open', async () => {
    const { emulator } = await startWorld()
    const child = startPayctl(emulator, ['phone', '-o', 'ndjson'])
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    child.stdin.write(`${maria}\n`)
    await vi.waitFor(() => expect(printed).toContain('María'), 10_000)
    child.stdin.end(`${laura}\n`)
    expect((await child).stdout).toContain('Laura')
  })
})

it('values are read in the encodings and the quotes of spreadsheets', async () => {
  const { emulator } = await startWorld()
  const text = `\ufeff"${maria}"\r\n${laura}\r\n`
  for (const input of [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
    const { stdout, exitCode } = await startPayctl(emulator, ['phone', '-o', 'tsv'], { input })
    expect({ exitCode, rows: stdout.split('\n').slice(1, 3) }).toEqual({
      exitCode: 0,
      rows: [expect.stringContaining('María'), expect.stringContaining('Laura')],
    })
  }
})

it('values in two bytes a character, without a mark that says so, are read', async () => {
  const { emulator } = await startWorld()
  for (const input of [Buffer.from(`${maria}\n`, 'utf16le'), Buffer.from(`${maria}\n`, 'utf16le').swap16()]) {
    const { stdout, exitCode } = await startPayctl(emulator, ['phone', '-'], { input })
    expect({ found: columnOf('phone_number', stdout), exitCode }).toEqual({ found: [maria], exitCode: 0 })
  }
})

describe('without values', () => {
  it.each([
    ['an empty pipe', { input: '' }],
    ['a pipe of comments', { input: '# nobody\n\n' }],
  ])('%s is a usage error that prints nothing', async (_, settings) => {
    const { emulator } = await startWorld()
    const { stdout, stderr, exitCode } = await startPayctl(emulator, ['phone'], settings)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
    expect(stderr).toContain("error: missing required argument 'number'.\n  Add a number, like 8888-7777")
  })

  it('an empty file is an empty list', async () => {
    const { emulator } = await startWorld()
    const { stdout, exitCode } = await startPayctl(emulator, ['phone', '--file', await fileOf(''), '--json'])
    expect({ stdout, exitCode }).toEqual({ stdout: '[]\n', exitCode: 0 })
  })

  it.each([
    ['that is not there', ['--file', '/nonexistent/values.txt'], "/nonexistent/values.txt can't be read"],
    ['that is a folder', ['--file', '/'], "/ can't be read"],
    ['and arguments too', ['--file', '/dev/null', maria], 'Give one of them'],
  ])('a file %s is a usage error', async (_, argv, text) => {
    const { emulator } = await startWorld()
    const { stdout, stderr, exitCode } = await startPayctl(emulator, ['phone', ...argv])
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
    expect(stderr).toContain(text)
  })

  it('a file that is not a string is refused, however big', async () => {
    const { emulator } = await startWorld()
    const { stderr, exitCode } = await startPayctl(emulator, ['phone', '--file', '/dev/zero'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The file is not text (from line 1 on).')
  })
})

describe('requests', () => {
  it('for a value that comes again are not repeated; its rows are all there', async () => {
    const { service, numbers } = await startRegistry(() => undefined)
    const { stdout } = await startPayctl(service, ['phone'], { input: '88887777\n8888-7777\n70000000\n8888 7777\n' })
    expect(columnOf('phone_number', stdout)).toEqual(['88887777', '88887777', '70000000', '88887777'])
    expect(numbers().toSorted()).toEqual(['70000000', '88887777'])
  })

  it('run at most --concurrency at a time, and keep their order in any order of answers', async () => {
    const waiting = new Map<string, ServerResponse>()
    let most = 0
    const { service } = await startRegistry((number, response) => {
      waiting.set(number, response)
      most = Math.max(most, waiting.size)
      if (waiting.size === 3) {
        for (const [late, answer] of [...waiting].reverse()) {
          answer.writeHead(200).end(JSON.stringify(success({ phone_number: late, status: 'registered' })))
          waiting.delete(late)
        }
      }
      return 'later'
    })
    const values = numbered(30)
    const { stdout } = await startPayctl(service, ['phone', '--concurrency', '3'], { input: values.join('\n') })
    expect(columnOf('phone_number', stdout)).toEqual(values)
    expect(most).toBe(3)
  })

  it('all wait when one has met the rate limit', async () => {
    const held: (() => void)[] = []
    const { service, numbers } = await startRegistry((number, response) => {
      if (number === '80000003' && numbers().filter((other) => other === number).length === 1) {
        return [429, failure('Too Many Attempts.'), { 'Retry-After': '1' }]
      }
      if (number > '80000003') return undefined
      const answer = success({ phone_number: number, status: 'registered' })
      held.push(() => response.writeHead(200).end(JSON.stringify(answer)))
      return 'later'
    })
    const values = numbered(12)
    const child = startPayctl(service, ['phone', '--concurrency', '4'], { input: values.join('\n') })
    await once(child.stderr, 'data')
    expect(held).toHaveLength(3)
    for (const release of held) release()
    await vi.waitFor(() => expect(held).toHaveLength(4), 10_000)
    expect(numbers().slice(4, 5)).toEqual(['80000003'])
    held[3]?.()
    const { stdout, stderr, exitCode } = await child
    expect(exitCode).toBe(0)
    expect(stderr).toBe('Trying again in 1.0 s: the service answered 429, too many requests\n')
    expect(columnOf('phone_number', stdout)).toEqual(values)
  })

  it('that fail otherwise end the run with their exit code, after the rows before them', async () => {
    const { service } = await startRegistry((number) =>
      number === '80000002' ? [401, failure('Unauthenticated.')] : undefined,
    )
    for (const format of ['tsv', 'json', 'table']) {
      const argv = ['phone', '-o', format, '--concurrency', '1']
      const { stdout, stderr, exitCode } = await startPayctl(service, argv, { input: numbered(9).join('\n') })
      expect(exitCode).toBe(4)
      expect(stdout.match(/8000000\d/g)).toEqual(['80000000', '80000001'])
      expect(stderr).toContain('Stopped after 2 numbers: 2 found, 0 not found.\n')
      if (format === 'json') expect(JSON.parse(stdout)).toHaveLength(2)
    }
  })

  it('that are interrupted leave what is there', async () => {
    const { service, numbers } = await startRegistry((number) => (number === '80000005' ? 'later' : undefined))
    const child = startPayctl(service, ['phone', '--json'], { input: numbered(9).join('\n') })
    await vi.waitFor(() => expect(numbers()).toContain('80000008'), 10_000)
    child.kill('SIGINT')
    const { stdout, stderr, exitCode } = await child
    expect(exitCode).toBe(130)
    expect(JSON.parse(stdout)).toHaveLength(5)
    expect(stderr).toContain('Stopped after 5 numbers')
  })

  it('end quietly when the reader has had enough', async () => {
    const { service } = await startRegistry(() => undefined)
    const child = startPayctl(service, ['phone'], { input: numbered(5000).join('\n'), process: true })
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await child).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

it.runIf(full)('100,000 lines need no more memory than a small heap has', { timeout: 120_000 }, async () => {
  const { service, numbers } = await startRegistry(() => undefined)
  const lines = numbered(500).join('\n')
  const child = startPayctl(service, ['phone', '--concurrency', '16'], {
    process: true,
    env: { NODE_OPTIONS: '--max-old-space-size=32' },
    input: Array.from({ length: 200 }, () => lines).join('\n'),
  })
  let rows = -1
  child.stdout.on('data', (chunk) => {
    rows += String(chunk).split('\n').length - 1
  })
  expect((await child).exitCode).toBe(0)
  expect({ rows, requests: numbers().length }).toEqual({ rows: 100_000, requests: 500 })
})
