import { describe, expect, it } from 'vitest'
import { at, runPayctl } from '../support/run_payctl.ts'
import { startStub, success } from '../support/stub.ts'

describe('the parser', () => {
  it.each([
    [['acounts', 'list'], "error: unknown command 'acounts'.\n  Did you mean accounts?\n"],
    [['acounts', 'list', '--help'], "error: unknown command 'acounts'.\n  Did you mean accounts?\n"],
    [['payments', 'snd', '--help'], "error: unknown command 'snd'.\n  Did you mean send?\n"],
    [['paym'], "error: unknown command 'paym'.\n  Did you mean payments?\n"],
    [['pay'], "error: unknown command 'pay'.\nnext:  payctl payments send ...\n"],
    [['Accounts', 'list'], "error: unknown command 'Accounts'.\n  Did you mean accounts?\n"],
    [['emulator', 'clok'], "error: unknown command 'clok'.\n  Did you mean clock?\n"],
    [['emulator', 'clock', 'advnce', '1h'], "error: unknown command 'advnce'.\n  Did you mean advance?\n"],
    [['nothing'], "error: unknown command 'nothing'.\nnext:  payctl --help\n"],
    [['__complet'], "error: unknown command '__complet'.\nnext:  payctl --help\n"],
    [['ac\ncounts'], "error: unknown command 'ac counts'.\n  Did you mean accounts?\n"],
    [['accounts', 'lst'], "error: unknown command 'lst'.\n  Did you mean list?\n"],
    [['accounts', 'list', '--al'], "error: unknown option '--al'.\n  Did you mean --all?\n"],
    [['accounts', 'list', '--jsn'], "error: unknown option '--jsn'.\n  Did you mean --json?\n"],
    [['--jsn', 'accounts', 'list'], "error: unknown option '--jsn'.\n  Did you mean --json?\n"],
    [['payments', 'send', '--desc', 'x'], "error: unknown option '--desc'.\n  Did you mean --description?\n"],
    [['accounts', 'create', '--currancy=CRC'], "error: unknown option '--currancy'.\n  Did you mean --currency?\n"],
    [['user', '--tokn=secret'], "error: unknown option '--tokn'.\n  Did you mean --token?\n"],
    [['accounts', 'list', '--nothing'], "error: unknown option '--nothing'.\nnext:  payctl accounts list --help\n"],
    [['webhooks', 'get'], "error: missing required argument 'id'.\nnext:  payctl webhooks get --help\n"],
    [['payments', 'list'], "error: unknown command 'list'.\nnext:  payctl payments history ...\n"],
    [['payments', 'create'], "error: unknown command 'create'.\nnext:  payctl payments send ...\n"],
    [['payment', 'list'], "error: unknown command 'payment'.\nnext:  payctl payments history ...\n"],
    [['webhook', 'tail'], "error: unknown command 'webhook'.\nnext:  payctl webhooks tail ...\n"],
    [['webhooks', 'listen'], "error: unknown command 'listen'.\nnext:  payctl webhooks tail ...\n"],
    [['accounts', 'ls'], "error: unknown command 'ls'.\nnext:  payctl accounts list ...\n"],
    [['account', 'ls'], "error: unknown command 'account'.\nnext:  payctl accounts list ...\n"],
    [['payment', 'view', 'last'], "error: unknown command 'payment'.\nnext:  payctl payments get ...\n"],
    [['emulator', 'faults', 'list'], "error: unknown command 'list'.\nnext:  payctl emulator faults\n"],
    [['emulator', 'users', 'ls'], "error: unknown command 'ls'.\nnext:  payctl emulator users\n"],
    [['emulator', 'worlds', 'list'], "error: unknown command 'list'.\nnext:  payctl emulator worlds\n"],
    [
      ['payments', 'outbox', 'list'],
      "error: 'list' is too short for the id of an intent.\nnext:  payctl payments outbox\n",
    ],
    [['auth', 'login'], "error: unknown command 'login'.\nnext:  payctl login ...\n"],
    [
      ['payments', 'history', '--json', 'id,status'],
      '{"error":{"code":"usage","message":"too many arguments for \'history\'. Expected 0 arguments but got 1: id,status.","status":null,"errors":null,"hint":"Did you mean --json=id,status?","next_command":null,"request_id":null,"retryable":false,"intent_id":null,"payment_id":null}}\n',
    ],
    [
      ['send', '--json=id,status'],
      '{"error":{"code":"usage","message":"--json=id,status chooses columns of a list, but this command prints no list.","status":null,"errors":null,"hint":"Choose them with --jq \'{id,status}\'","next_command":null,"request_id":null,"retryable":false,"intent_id":null,"payment_id":null}}\n',
    ],
    [['payments', 'history', '-L', '5'], "error: unknown option '-L'.\n  Did you mean --limit <n>?\n"],
    [['accounts', 'list', '-L5'], "error: unknown option '-L5'.\n  Did you mean --per-page 5?\n"],
    [['help', 'toString'], "error: No help on 'toString'.\nnext:  payctl help help\n"],
    [['help', 'pyments'], "error: No help on 'pyments'.\n  Did you mean payments?\n"],
    [['help', 'exit-cods'], "error: No help on 'exit-cods'.\n  Did you mean exit-codes?\n"],
    [['help', 'payments', 'snd'], "error: unknown command 'snd'.\n  Did you mean send?\n"],
    [['help', 'nothing'], "error: No help on 'nothing'.\nnext:  payctl help help\n"],
  ])('%j is a usage error that says what to type', async (argv, stderr) => {
    expect(await runPayctl(argv)).toEqual({ code: 2, stdout: '', stderr })
  })

  it('answers help after a global option, and before one', async () => {
    const help = await runPayctl(['help', 'payments', 'history'])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: payctl payments history') })
    expect(await runPayctl(['--emulator', 'help', 'payments', 'history'])).toEqual(help)
    expect(await runPayctl(['--profile', 'prod', 'help', 'payments', 'history'])).toEqual(help)
    expect(await runPayctl(['help', 'payments', 'history', '--emulator'])).toEqual(help)
  })

  it.each([
    [['accounts', 'create', '--currency', 'CRD'], 'CRC'],
    [['user', '--output', 'jsn'], 'json'],
    [['user', '-oTabel'], 'table'],
    [['emulator', 'rail', 'pni', 'offline'], 'pin'],
    [['emulate', '--seed', 'dem'], 'demo'],
    [['completion', 'bsh'], 'bash'],
  ])('%j names the value that was meant', async (argv, meant) => {
    const { code, stderr } = await runPayctl(argv)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      new RegExp(`^error: .+ is not valid\\. Allowed choices are .+\\.\n  Did you mean ${meant}\\?\n$`),
    )
  })

  it.each([
    ['accounts', 'list', '--page', '0'],
    ['accounts', 'list', '--page', '1.5'],
    ['accounts', 'list', '--page', '-1'],
    ['accounts', 'list', '--per-page', '1001'],
    ['accounts', 'list', '--all', '--page', '2'],
    ['accounts', 'create'],
    ['accounts', 'create', '--currency', 'EUR'],
    ['accounts', 'get', '12'],
    ['accounts', 'balance', 'not-a-uuid'],
    ['accounts', 'list', '--timeout', '30'],
    ['accounts', 'list', '--timeout', '0s'],
    ['accounts', 'list', '--retries', '-1'],
    ['accounts', 'list', '--output', 'xml'],
    ['accounts', 'list', 'surplus'],
  ])('%s %s %s %s is found before any request', async (...argv) => {
    const stub = await startStub([200, success(null)])
    const { code, stdout, stderr } = await runPayctl(argv, at(stub.url))
    expect({ code, stdout, requests: stub.received.length }).toEqual({ code: 2, stdout: '', requests: 0 })
    expect(stderr).toMatch(/^error: .+\n(( {2}|next: {2}).+\n)+$/)
  })

  it('refuses two formats at once', async () => {
    const { code, stderr } = await runPayctl(['user', '--json', '--output', 'csv'])
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ error: { message: '--json and --output csv ask for two formats.' } })
  })

  it('takes an output format that does not exist from the environment as a usage error', async () => {
    const { code, stderr } = await runPayctl(['user'], { env: { PAYCTL_OUTPUT: 'xml' } })
    expect(code).toBe(2)
    expect(stderr).toContain('PAYCTL_OUTPUT')
  })

  it('reports a usage error as JSON when JSON was asked for, wherever the flag stands', async () => {
    for (const argv of [
      ['--json', 'accounts', 'list', '--page', 'x'],
      ['accounts', 'list', '--page', 'x', '-o', 'ndjson'],
      ['accounts', 'list', '--page', 'x', '--output=json'],
    ]) {
      const { code, stdout, stderr } = await runPayctl(argv)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: 'usage',
          message: expect.stringContaining('--page'),
          status: null,
          errors: null,
          hint: 'payctl accounts list --help',
          next_command: ['payctl', 'accounts', 'list', '--help'],
          request_id: null,
          intent_id: null,
          payment_id: null,
          retryable: false,
        },
      })
    }
  })
})

describe('global flags', () => {
  const user = { id: 'u', name: 'Ana', email: 'a@x', email_verified_at: null, created_at: 'c', updated_at: 'u' }

  it.each([[['--json', 'user']], [['user', '--json']], [['-o', 'json', 'user']], [['user', '-ojson']]])(
    'work before and after the command: %j',
    async (argv) => {
      const stub = await startStub([200, success(user)])
      const { code, stdout } = await runPayctl(argv, at(stub.url))
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual(user)
    },
  )

  it('after the command outrank those before it', async () => {
    const stub = await startStub([200, success(user)])
    const { stdout } = await runPayctl(['-o', 'yaml', 'user', '-o', 'ndjson'], at(stub.url))
    expect(JSON.parse(stdout)).toEqual(user)
  })

  it('--verbose shows requests on stderr without the token', async () => {
    const stub = await startStub([200, success(user)])
    const { stderr } = await runPayctl(['user', '-v'], at(stub.url))
    expect(stderr).toContain(`> GET ${stub.url}/api/user\n`)
    expect(stderr).not.toContain('token-of-the-test')
  })

  it('--retries and --timeout reach the client', async () => {
    const stub = await startStub(() => {})
    const { code, stderr } = await runPayctl(['user', '--retries', '0', '--timeout', '500ms'], at(stub.url))
    expect(code).toBe(12)
    expect(stub.received).toHaveLength(1)
    expect(stderr).toMatch(/^error: No answer from .+\n {2}.+\nnext: {2}payctl emulate\n$/)
  })
})

describe('an interruption', () => {
  it('ends a request under way with 130', async () => {
    const interrupt = new AbortController()
    const stub = await startStub(() => interrupt.abort('SIGINT'))
    const run = await runPayctl(['user'], { ...at(stub.url), signal: interrupt.signal })
    expect(run).toEqual({ code: 130, stdout: '', stderr: 'error: Interrupted.\n' })
  })
})
