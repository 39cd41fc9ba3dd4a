import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { endpoints } from '../../src/contract/endpoints.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { at, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { failure, startStub, startTcp, success } from '../support/stub.ts'

const emulator = await startEmulator()
afterAll(() => emulator.close())
const service = { env: { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token } }
const [newest] = emulator.accounts()

const api = (...args: readonly string[]) => runPayctl(['api', ...args], service)

describe('payctl api', () => {
  it('without arguments lists every endpoint', async () => {
    const { code, stdout } = await runPayctl(['api', '--json'])
    expect(code).toBe(0)
    const rows = JSON.parse(stdout) as readonly { id: string; method: string; path: string; scopes: string[] }[]
    expect(rows.map(({ id, method, path }) => [id, method, path])).toEqual(
      Object.entries(endpoints).map(([id, { method, path }]) => [id, method, path]),
    )
    expect(rows.find(({ id }) => id === 'user.get')?.scopes).toEqual(['read-user'])
    expect((await runPayctl(['api', '--list', '--json'])).stdout).toBe(stdout)
  })

  it.each([
    [['GET', '/api/user']],
    [['get', 'api/user']],
    [['/api/user']],
    [['user.get']],
    [['GET', `${emulator.baseUrl}/api/user`]],
  ])('%j prints the body of the answer as JSON', async (args) => {
    const { code, stdout, stderr } = await api(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { name: 'María Fernández Rojas' } })
  })

  it('fills the path of an endpoint from the fields', async () => {
    const { stdout } = await api('accounts.balance', '-F', `id=${newest?.id}`, '--jq', '.data.iban')
    expect(stdout).toBe(`${newest?.iban}\n`)
    expect((await api('api/accounts/{id}', '-F', `id=${newest?.id}`, '--jq', '.data.iban')).stdout).toBe(stdout)
    expect(await api('accounts.balance')).toMatchObject({ code: 2, stdout: '' })
    expect(await api('accounts.balance', '-F', 'id=..')).toMatchObject({ code: 2, stdout: '' })
  })

  it('reads every page as one list', async () => {
    const ids = emulator.accounts().map(({ id }) => id)
    const json = await api('accounts.list', '-F', 'per_page=1', '--paginate')
    expect(JSON.parse(json.stdout).map(({ id }: { id: string }) => id)).toEqual(ids)
    const csv = await api('/api/accounts?per_page=1', '--paginate', '-o', 'csv')
    expect(csv.stdout.split('\n').slice(0, -1)).toHaveLength(ids.length + 1)
  })

  it('shows the data as rows where rows are asked for', async () => {
    const { stdout } = await api('accounts.list', '-o', 'tsv')
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toContain('id\tdocument_number')
    expect(rows).toHaveLength(emulator.accounts().length)
  })

  it('shows status and headers with --include', async () => {
    const { stdout } = await api('user.get', '--include')
    const [head = '', body = ''] = stdout.split('\n\n')
    expect(head).toMatch(/^HTTP 200\n(.+: .+\n)*content-type: application\/json/)
    expect(JSON.parse(body)).toHaveProperty('data')
  })
})

describe('the request', () => {
  it('of a GET has the fields in its query, of others in its body', async () => {
    const stub = await startStub([200, success({})])
    const fields = ['-F', 'n=7', '-F', 'x=1.25', '-F', 'yes=true', '-F', 'no=null', '-f', 'raw=7', '-F', 'zero=007']
    await runPayctl(['api', 'GET', 'x?a=b', ...fields], at(stub.url))
    await runPayctl(
      ['api', 'POST', 'x', ...fields, '-F', 'list[]=a', '-F', 'list[]=2', '-F', 'in[a][b]=c'],
      at(stub.url),
    )
    expect(stub.received[0]?.url).toBe('/x?a=b&raw=7&n=7&x=1.25&yes=true&no=null&zero=007')
    expect(stub.received[0]?.body).toBe('')
    expect(JSON.parse(stub.received[1]?.body ?? '')).toEqual({
      ...{ n: 7, x: 1.25, yes: true, no: null, raw: '7', zero: '007' },
      ...{ list: ['a', 2], in: { a: { b: 'c' } } },
    })
  })

  it('is a GET when no method is given, whatever the fields', async () => {
    const stub = await startStub([200, success({})])
    await runPayctl(['api', 'x', '-F', 'a=1'], at(stub.url))
    expect(stub.received).toMatchObject([{ method: 'GET', url: '/x?a=1' }])
  })

  it('takes its body from a file or stdin, with the fields in the query', async () => {
    const stub = await startStub([200, success({})])
    const file = join(await temporaryDirectory(), 'body.json')
    await writeFile(file, '\ufeff{"a": [1.50]}')
    await runPayctl(['api', 'POST', 'x', '--input', file, '-F', 'q=1'], at(stub.url))
    const { run } = await freshMachine()
    await run(['api', 'PATCH', 'x', '--input', '-'], { env: at(stub.url).env, input: '[1]' })
    expect(stub.received).toMatchObject([
      { method: 'POST', url: '/x?q=1', body: '{"a":[1.5]}' },
      { method: 'PATCH', url: '/x', body: '[1]' },
    ])
  })

  it('takes a field from a file, and headers', async () => {
    const stub = await startStub([200, success({})])
    const file = join(await temporaryDirectory(), 'reason.txt')
    await writeFile(file, 'moved\n')
    await runPayctl(['api', 'POST', 'x', '-F', `reason=@${file}`, '-H', 'X-Trace: a: b'], at(stub.url))
    expect(stub.received[0]).toMatchObject({ headers: { 'x-trace': 'a: b' }, body: '{"reason":"moved\\n"}' })
  })

  it.each([
    ['a=1', 'a=2'],
    ['a=1', 'a[b]=2'],
    ['a[]=1', 'a[b]=2'],
    ['a[][b]=1'],
    ['=1'],
    ['novalue'],
    ['[a]=1'],
    ['n=12345678901234567890'],
    ['f=@/does/not/exist'],
  ])('is not sent when its fields make no sense: %s %s', async (...fields) => {
    const stub = await startStub([200, success({})])
    const flags = fields.flatMap((field) => ['-F', field])
    const { code, stdout } = await runPayctl(['api', 'POST', 'x', ...flags], at(stub.url))
    expect({ code, stdout, received: stub.received }).toEqual({ code: 2, stdout: '', received: [] })
  })

  it('takes any name of a member', async () => {
    const stub = await startStub([200, success({})])
    await runPayctl(['api', 'POST', 'x', '-F', '__proto__[a]=1', '-F', 'constructor=2'], at(stub.url))
    expect(stub.received[0]?.body).toBe('{"__proto__":{"a":1},"constructor":2}')
    expect({}).not.toHaveProperty('a')
  })

  it.each([
    [['FETCH', 'x'], /not an HTTP method/],
    [['GET'], /path is missing/],
    [['POST', 'user.get'], /is a GET/],
    [['GET', 'x', '--input', 'f'], /has no body/],
    [['x', '--input', 'f'], /has no body/],
    [['POST', 'x', '--input', '/does/not/exist'], /can't be read/],
    [['POST', 'x', '--paginate'], /works only with GET/],
    [['x', '--header', 'nothing'], /no value/],
    [['x', '--header', 'Host: other'], /itself/],
  ])('%j is a usage error', async (args, message) => {
    const stub = await startStub([200, success({})])
    const { code, stdout, stderr } = await runPayctl(['api', ...args], at(stub.url))
    expect({ code, stdout, received: stub.received }).toEqual({ code: 2, stdout: '', received: [] })
    expect(stderr).toMatch(message)
  })
})

describe('the token', () => {
  it.each([
    'https://evil.example/api/user',
    'HTTP://EVIL.example/api/user',
    'http://user:pass@127.0.0.1:PORT/api/user',
    'https://127.0.0.1:PORT/api/user',
    'http://127.0.0.1:PORT@evil.example/api/user',
    'http://127.0.0.1:PORT/outside',
    'ftp://127.0.0.1/x',
    'mailto:a@b',
  ])('goes to no other place: %s', async (url) => {
    const stub = await startStub([200, success({})])
    const { port } = new URL(stub.url)
    const { env } = at(`${stub.url}/prefix`)
    const { code, stderr } = await runPayctl(['api', url.replace('PORT', port)], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('payctl sends the token only to that service')
    expect(stub.received).toEqual([])
  })

  it.each(['//evil.example/x', '/\\evil.example/x', '\\\\evil.example\\x', '/..//evil.example/x', '@evil.example/x'])(
    'stays with the service for a path like %s',
    async (path) => {
      const stub = await startStub([200, success({})])
      await runPayctl(['api', path], at(stub.url))
      expect(stub.received).toHaveLength(1)
    },
  )

  it('is not sent on to where a redirect points', async () => {
    const other = await startStub([200, success({})])
    const stub = await startStub([302, '', { Location: `${other.url}/api/user` }])
    const { code, stdout, stderr } = await runPayctl(['api', 'x'], at(stub.url))
    expect({ code, stdout, received: other.received }).toEqual({ code: 12, stdout: '', received: [] })
    expect(stderr).toContain('redirect')
  })
})

describe('a refusal', () => {
  it.each([
    [404, 3],
    [401, 4],
    [403, 5],
    [409, 6],
    [422, 7],
    [429, 11],
    [500, 12],
  ])('with status %i prints its body and ends with %i', async (status, code) => {
    const body = failure('No.', { field: ['why'] })
    const stub = await startStub([status, body])
    const finished = await runPayctl(['api', 'x', '--retries', '0', '--jq', '.data.id'], at(stub.url))
    expect(finished.code).toBe(code)
    expect(JSON.parse(finished.stdout)).toEqual(body)
    expect(JSON.parse(finished.stderr).error).toMatchObject({ message: 'No.', status })
  })

  it('that is not JSON is printed unchanged; on a terminal without control sequences', async () => {
    const stub = await startStub([500, '<h1>\u001b[31mdown</h1>'])
    const args = ['api', 'x', '--retries', '0']
    expect((await runPayctl(args, at(stub.url))).stdout).toBe('<h1>\u001b[31mdown</h1>\n')
    expect((await runPayctl(args, { ...at(stub.url), terminal: 80 })).stdout).toBe('<h1>[31mdown</h1>\n')
  })
})

describe.each([
  ['an answer', 200],
  ['a refusal', 422],
])('of %s', (_, status) => {
  const hidden = 'a\u009b2Jb\u202ec\u200b'
  const answered = async (...flags: readonly string[]) => {
    const stub = await startStub([status, { ...(status === 200 ? success({}) : failure('No.')), name: hidden }])
    return runPayctl(['api', 'x', '--retries', '0', ...flags], at(stub.url))
  }

  it('what a terminal obeys or hides is escaped in a pipe, so that the value stays', async () => {
    for (const flags of [[], ['-o', 'json'], ['-o', 'ndjson']]) {
      const { stdout } = await answered(...flags)
      expect(stdout).not.toMatch(/[\u0080-\u009f\u200b\u202e]/)
      expect(JSON.parse(stdout)).toHaveProperty('name', hidden)
    }
    expect((await answered('-o', 'yaml')).stdout).not.toMatch(/[\u0080-\u009f\u200b\u202e]/)
  })
})

describe('--no-input', () => {
  it.each([
    [['api', 'user.get', '--no-input']],
    [['--no-input', 'api', 'user.get']],
    [['api', '--no-input', 'POST', 'x', '-F', 'a=1']],
  ])('is not the negation of --input: %j', async (args) => {
    const stub = await startStub([200, success({})])
    expect(await runPayctl(args, at(stub.url))).toMatchObject({ code: 0, stderr: '' })
    expect(stub.received).toHaveLength(1)
  })

  it.each([
    [(file: string) => ['--no-input', 'api', 'POST', 'x', '--input', file]],
    [(file: string) => ['api', 'POST', 'x', '--input', file, '--no-input']],
  ])('leaves --input its file', async (argv) => {
    const stub = await startStub([200, success({})])
    const file = join(await temporaryDirectory(), 'body.json')
    await writeFile(file, '{"a": 1}')
    expect(await runPayctl(argv(file), at(stub.url))).toMatchObject({ code: 0 })
    expect(stub.received).toMatchObject([{ method: 'POST', body: '{"a":1}' }])
  })
})

describe('an answer that is not JSON', () => {
  it('is printed as text, and can not be filtered', async () => {
    const stub = await startStub([200, 'pong'])
    expect(await runPayctl(['api', 'ping'], at(stub.url))).toEqual({ code: 0, stdout: 'pong\n', stderr: '' })
    expect(await runPayctl(['api', 'ping', '--jq', '.'], at(stub.url))).toMatchObject({ code: 12, stdout: 'pong\n' })
    expect(await runPayctl(['api', 'POST', 'x', '--jq', '.'], at(stub.url))).toMatchObject({ code: 10 })
  })
})

describe('a payment', () => {
  const body = ['-F', 'source_account_id=x', '-F', 'amount=5']

  it.each([
    ['payments.create'],
    ['POST', 'api/payments'],
    ['post', '/api//payments/'],
    ['POST', 'api/./payments'],
    ['POST', 'api/x/../payments?a=b'],
    ['POST', 'api/%70ayments'],
    ['POST', 'API/Payments'],
  ])('needs a key: %s %s', async (...args) => {
    const stub = await startStub([201, success({})])
    const { code, stdout, stderr } = await runPayctl(['api', ...args, ...body], at(stub.url))
    expect({ code, stdout, received: stub.received }).toEqual({ code: 2, stdout: '', received: [] })
    expect(stderr).toContain('payctl payments send')
  })

  it('with a key is repeated with the same key until it is answered', async () => {
    const stub = await startStub((response) => response.destroy(), [201, success({ id: 'p' })])
    const args = ['api', 'payments.create', ...body, '-H', 'x-idempotency-key: key-1', '--jq', '.data.id']
    expect(await runPayctl(args, at(stub.url))).toMatchObject({ code: 0, stdout: 'p\n' })
    expect(stub.received.map(({ headers }) => headers['x-idempotency-key'])).toEqual(['key-1', 'key-1'])
  })

  it('whose answer is lost ends with 10 and says what to do', async () => {
    const url = await startTcp((socket) => socket.once('data', () => socket.destroy()))
    const args = ['api', 'payments.create', ...body, '-H', 'X-Idempotency-Key: key-1', '--retries', '0']
    const { code, stdout, stderr } = await runPayctl(args, at(url))
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' })
    expect(stderr).toContain('First look for the idempotency key (key-1) in the payment history.')
    expect(stderr).toContain(
      'Sending the payment again with that key does not pay twice while the service remembers the key',
    )
    expect(stderr).toMatch(/^next: {2}payctl payments find key-1$/m)
  })

  it.each([
    ['payments.create', 409, 10],
    ['payments.create', 404, 10],
    ['payments.create', 422, 7],
  ])('by %s that is answered %i ends with %i', async (endpoint, status, expected) => {
    const stub = await startStub([status, failure('Still being processed')])
    const args = ['api', endpoint, ...body, '-H', 'X-Idempotency-Key: key-1', '--retries', '0']
    const { code, stderr } = await runPayctl(args, at(stub.url))
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining('Still being processed') })
  })
})
