import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { everyNth, full } from '../support/full.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { payctlCommand, payctlInShell } from '../support/program.ts'
import { at, runPayctl } from '../support/run_payctl.ts'
import { startStub, startTcp, success } from '../support/stub.ts'

const emulator = await startEmulator()
afterAll(() => emulator.close())
const accounts = emulator.accounts()
const crc = accounts.find(({ currency }) => currency === 'CRC')?.id ?? ''
const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }

const machine = async () => {
  const { run } = await freshMachine()
  return (...args: readonly string[]) => run(args, { env })
}

/**
 * A jq program that uses up the memory of jq: slowly in the full tests, at once in the quick tests. `n` is an
 * expression that is 1 for the input of the test.
 */
const takeAllMemory = (n: string) => (full ? `[range(${n} * 1e8)]` : `"x" * (${n} * 3e8)`)

const send = ['payments', 'send', '--from', crc, '--to', '87000006', '--amount', '10', '--yes']

describe('--jq', () => {
  it('filters what --json prints: strings bare, other values as JSON, one a line', async () => {
    const run = await machine()
    const whole = JSON.parse((await run('accounts', 'list', '--json')).stdout)
    const { code, stdout, stderr } = await run('accounts', 'list', '--jq', '.[] | .iban, .balance, .document_type')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      whole
        .flatMap((one: { iban: string; balance: object; document_type: number }) => [
          one.iban,
          JSON.stringify(one.balance),
          one.document_type,
        ])
        .map((text: unknown) => `${text}\n`)
        .join(''),
    )
  })

  it('keeps strings to the last character, and numbers to the last digit', async () => {
    const stub = await startStub([200, '{"data":{"a":" x \\n\\n","b":12345678901234567890,"c":1.10}}'])
    const { stdout } = await runPayctl(['user', '--jq', '"", .a, ""'], at(stub.url))
    expect(stdout).toBe('\n x \n\n\n\n')
    const exact = await runPayctl(['user', '--jq', '[12345678901234567890, 1.10][]'], at(stub.url))
    expect(exact.stdout).toBe('12345678901234567890\n1.10\n')
  })

  it('runs on the whole list of --all, and row by row with ndjson', async () => {
    const run = await machine()
    expect((await run('accounts', 'list', '--all', '--jq', 'length')).stdout).toBe('2\n')
    const rows = await run('accounts', 'list', '--all', '--per-page', '1', '-o', 'ndjson', '--jq', '.id')
    expect(rows.stdout).toBe(accounts.map(({ id }) => `${id}\n`).join(''))
  })

  it.each([['-o', 'csv'], ['-o', 'table'], ['--output=yaml']])('conflicts with %s %s', async (...flags) => {
    const stub = await startStub([200, success({})])
    const { code, stdout, stderr } = await runPayctl(['user', '--jq', '.', ...flags], at(stub.url))
    expect({ code, stdout, received: stub.received }).toEqual({ code: 2, stdout: '', received: [] })
    expect(JSON.parse(stderr).error.message).toContain('--jq filters JSON')
  })

  it('wins over formats that the environment asks for, and keeps ndjson', async () => {
    const stub = await startStub([200, success({ data: [{ id: 1 }, { id: 2 }] })])
    const { env } = at(stub.url)
    const csv = await runPayctl(['accounts', 'list', '--jq', 'length'], { env: { ...env, PAYCTL_OUTPUT: 'csv' } })
    expect(csv).toEqual({ code: 0, stdout: '2\n', stderr: '' })
    const rows = await runPayctl(['accounts', 'list', '--jq', '.id'], { env: { ...env, PAYCTL_OUTPUT: 'ndjson' } })
    expect(rows).toEqual({ code: 0, stdout: '1\n2\n', stderr: '' })
  })

  it('reveals nothing of the machine', async () => {
    const run = await machine()
    const { stdout } = await run('user', '--jq', '$ENV, env, input_filename, get_search_list')
    expect(stdout).toContain('web_user')
    expect(stdout).not.toContain(emulator.token)
    expect(stdout).not.toContain(emulator.baseUrl)
    for (const program of ['import "a" as a; .', 'include "a"; .', 'import "/etc/passwd" as $a; $a']) {
      expect(await run('user', '--jq', program)).toMatchObject({ code: 2, stdout: '' })
    }
  })

  it('shows no control characters of a string on a terminal', async () => {
    const stub = await startStub([200, success({ a: '\u001b[31mred\n\u202eb', b: ['\u009b'] })])
    const { stdout } = await runPayctl(['user', '--jq', '.a, .b'], { ...at(stub.url), terminal: 80 })
    expect(stdout).toBe('[31mred\nb\n["\\u009b"]\n')
  })

  it('shows what the program says on stderr', async () => {
    const stub = await startStub([200, success({ a: 1 })])
    const { code, stdout, stderr } = await runPayctl(['user', '--jq', '.a | debug'], at(stub.url))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '1\n', stderr: '["DEBUG:",1]\n' })
  })

  it.each(everyNth(['input', 'inputs', 'halt', '"x" | halt_error', '"x" | halt_error(0)'], 5))(
    'has no %s',
    async (program) => {
      const stub = await startStub([200, success({ data: [{}, {}] })])
      for (const format of ['json', 'ndjson']) {
        const { code, stderr } = await runPayctl(['accounts', 'list', '-o', format, '--jq', program], at(stub.url))
        expect(code).toBe(2)
        expect(JSON.parse(stderr).error.message).toMatch(/^--jq failed: /)
      }
    },
  )

  it('goes on past a row that it fails on, and says so at the end', async () => {
    const stub = await startStub([200, success({ data: [{ a: 1 }, { a: 'x' }, { a: 3 }] })])
    const { code, stdout, stderr } = await runPayctl(
      ['accounts', 'list', '-o', 'ndjson', '--jq', '.a + 1'],
      at(stub.url),
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '2\n4\n' })
    expect(JSON.parse(stderr).error.message).toContain('cannot be added')
  })

  it('takes a program that begins like a flag, or that ends in a comment', async () => {
    const stub = await startStub([200, success({ a: 2 })])
    expect((await runPayctl(['user', '--jq=-(.a)'], at(stub.url))).stdout).toBe('-2\n')
    expect((await runPayctl(['user', '--jq', '.a # why'], at(stub.url))).stdout).toBe('2\n')
    expect((await runPayctl(['user', '--jq', '--rawfile'], at(stub.url))).code).toBe(2)
  })

  it('filters a big document', async () => {
    const rows = Array.from({ length: full ? 50_000 : 2000 }, (_, n) => ({
      id: n,
      name: 'María Fernández Rojas de la O'.repeat(5),
    }))
    const stub = await startStub([200, success({ data: rows })])
    const { code, stdout } = await runPayctl(['accounts', 'list', '--jq', '.[].id'], at(stub.url))
    expect(code).toBe(0)
    expect(stdout.split('\n')).toHaveLength(rows.length + 1)
  })

  it('says what to do when jq has too little memory', async () => {
    const stub = await startStub([200, success({ data: Array.from({ length: 1000 }, (_, id) => ({ id })) })])
    const { code, stdout, stderr } = await runPayctl(
      ['accounts', 'list', '--jq', `${takeAllMemory('(length / 1000)')} | length`],
      at(stub.url),
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      message: '--jq failed: the program needs more memory than jq has here.',
      hint: 'Filter row by row: add --output ndjson.',
    })
  })

  it('goes on with a fresh jq after a row that took all its memory', async () => {
    const stub = await startStub([200, success({ data: Array.from({ length: 150 }, (_, id) => ({ id })) })])
    const program = `if .id == 5 then ${takeAllMemory('(.id / 5)')} else .id end`
    const { code, stdout } = await runPayctl(['accounts', 'list', '-o', 'ndjson', '--jq', program], at(stub.url))
    expect(code).toBe(2)
    expect(stdout.endsWith('\n148\n149\n')).toBe(true)
  })

  it('ends on Ctrl-C whatever the program does', async () => {
    const stub = await startStub([200, success({})])
    const child = execa(...payctlCommand(['user', '--jq', '"ready" | stderr | def f: f; f', '--verbose']), {
      env: { PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test' },
      reject: false,
    })
    // Waits until the answer has arrived: jq is then running.
    let seen = ''
    for await (const chunk of child.stderr) {
      seen += chunk
      if (seen.includes('< {"success":true')) break
    }
    child.kill('SIGINT')
    expect((await child).exitCode).toBe(130)
  })
})

describe('a payment with --jq', () => {
  const payments = async (run: Awaited<ReturnType<typeof machine>>) =>
    Number((await run('payments', 'history', '--envelope', '--jq', '.total')).stdout)

  it('is not sent when the program is wrong', async () => {
    const run = await machine()
    const before = await payments(run)
    const { code, stdout, stderr } = await run(...send, '--jq', '.id |')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^The --jq program is not valid: syntax error/),
    })
    const [program = ''] = /(?<=--jq ')[^']+/.exec(JSON.parse(stderr).error.hint) ?? []
    expect(await run('accounts', 'list', '--jq', program)).toMatchObject({ code: 0, stderr: '' })
    expect(await payments(run)).toBe(before)
    expect((await run('payments', 'intents', '--json')).stdout).toBe('[]\n')
  })

  it('that was sent is printed whole, with exit 10, when the program fails on it', async () => {
    const run = await machine()
    const before = await payments(run)
    const { code, stdout, stderr } = await run(...send, '--jq', '.id, (.id | tonumber)')
    expect(code).toBe(10)
    const { id } = JSON.parse(stdout)
    expect((await run('payments', 'get', id)).code).toBe(0)
    expect(await payments(run)).toBe(before + 1)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('The request was sent, but --jq failed on the result'),
      hint: expect.stringContaining('Do not send it again'),
    })
  })

  it('whose answer is lost ends with 10 even where the program would fail', async () => {
    const { run } = await freshMachine()
    const answers = [
      ['GET /api/user ', { id: 'user-1', email: 'ana@example.com' }],
      ['GET /api/payments/history?', { current_page: 1, last_page: 1, data: [], total: 0 }],
    ] as const
    const url = await startTcp((socket) =>
      socket.once('data', (request) => {
        const [, data] = answers.find(([start]) => String(request).startsWith(start)) ?? []
        if (!data) return void socket.destroy()
        const text = JSON.stringify(success(data))
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`)
      }),
    )
    const there = { env: { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: 'token-of-the-test' } }
    expect((await run([...send, '--retries', '0', '--jq', '.id'], there)).code).toBe(10)
    const resume = ['payments', 'resume', '--retries', '0', '--jq', '.[].idempotency_key | tonumber']
    const { code, stdout } = await run(resume, there)
    expect(code).toBe(10)
    expect(JSON.parse(stdout)).toMatchObject([{ id: null, intent: { status: 'unknown' } }])
  })

  it('that is only validated is a usage error when the program fails', async () => {
    const run = await machine()
    const args = [
      'payments',
      'validate',
      '--from',
      crc,
      '--to',
      '87000006',
      '--amount',
      '10',
      '--jq',
      '.fee | tonumber',
    ]
    expect(await run(...args)).toMatchObject({ code: 2, stdout: '' })
  })

  it('that was sent is printed whole when Ctrl-C ends the program', async () => {
    const { env: home } = await freshMachine()
    const child = execa(...payctlCommand([...send, '--verbose', '--jq', 'def f: f; f']), {
      env: { ...home, ...env },
      reject: false,
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (/POST [^\n]*\/api\/payments\n[\s\S]*< \{"success":true/.test(said)) setImmediate(() => child.kill('SIGINT'))
    })
    const { exitCode, stdout } = await child
    expect(exitCode).toBe(130)
    expect(JSON.parse(stdout)).toHaveProperty('idempotency_key')
  })
})

it.skipIf(process.platform === 'win32')('in a directory that was removed, --jq says so', async () => {
  const { home } = await freshMachine()
  const line = `mkdir gone && cd gone && rmdir ../gone && ${payctlInShell} accounts list --jq length`
  const { exitCode, stderr } = await execa('sh', ['-c', line], { cwd: home, env, reject: false })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('The current directory no longer exists.')
})
