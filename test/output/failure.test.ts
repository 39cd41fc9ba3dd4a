import { describe, expect, it } from 'vitest'
import { RunContext } from '../../src/cli/run_context.ts'
import { root } from '../../src/commands/index.ts'
import { CliError } from '../../src/errors/cli_error.ts'
import { type Exit, exits } from '../../src/errors/exit_codes.ts'
import { failureOf } from '../../src/errors/failure.ts'
import {
  ApiError,
  ContractError,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
} from '../../src/errors/service_errors.ts'
import { report } from '../../src/run/report.ts'
import { Captured } from '../support/run_payctl.ts'

const named = (name: string) => Object.assign(new Error('x'), { name })

describe('an error ends the run with', () => {
  it.each([
    [new NetworkError('http://x', 'refused', { retryable: true, cause: null }), 12, 'network'],
    [new NetworkError('http://x', 'reset', { retryable: false, cause: null }), 10, 'network'],
    [new ContractError('not JSON'), 12, 'contract'],
    [new OutcomeUnknownError('key', 'timeout', null), 10, 'outcome_unknown'],
    [new InvalidRequestError('bad'), 2, 'usage'],
    [named('AbortError'), 130, 'interrupted'],
    [named('ExitPromptError'), 130, 'interrupted'],
    [Object.assign(new Error('EACCES: permission denied'), { syscall: 'mkdir' }), 1, 'system'],
    [Object.assign(new Error('ENOENT: process.cwd failed'), { syscall: 'uv_cwd' }), 2, 'usage'],
    [new TypeError('oops'), 1, 'bug'],
    ['text', 1, 'bug'],
  ])('%s: %i', (error, code, name) => {
    const failure = failureOf(error, false)
    expect([exits[failure.exit].code, failure.code]).toEqual([code, name])
  })

  it.each(Object.keys(exits) as Exit[])('the exit that payctl itself chose: %s', (exit) => {
    expect(failureOf(new CliError(exit, 'x', 'y'), true)).toMatchObject({ exit, code: exit, message: 'x', hint: 'y' })
  })

  it('130 after a signal, unless money may have moved', () => {
    expect(failureOf('SIGINT', true).exit).toBe('interrupted')
    expect(failureOf(new OutcomeUnknownError('key', 'aborted', null), true).exit).toBe('outcome_unknown')
  })
})

it('exit codes are all different', () => {
  const codes = Object.values(exits).map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
})

async function reported(error: unknown, { env = {}, argv = [] as readonly string[] } = {}) {
  const stderr = new Captured()
  const io = { stdin: process.stdin, stdout: new Captured(), stderr }
  const context = new RunContext({ root, env, io, signal: new AbortController().signal })
  const code = await report(error, await context.reportOptions(argv))
  return { code, text: stderr.text }
}

describe.each([401, 403])('what logging in mends (%i)', (status) => {
  const refused = new ApiError({
    status,
    message: 'no',
    errors: null,
    requestId: undefined,
    retryable: false,
    fromService: true,
    retryAfter: undefined,
  })

  it.each([
    ['the profile of the flag', ['user', '--profile', 'prod'], {}, 'payctl login --profile prod'],
    ['the profile of the environment', ['user'], { PAYCTL_PROFILE: 'prod' }, 'payctl login --profile prod'],
    ['the emulator', ['user', '--emulator'], { PAYCTL_PROFILE: 'prod' }, 'payctl login --emulator'],
    [
      'the service of a flag',
      ['user', '-p', 'prod', '--base-url=https://x.example', '--auth-url', 'https://y.example'],
      {},
      'payctl login --profile prod --base-url https://x.example --auth-url https://y.example',
    ],
    ['the default profile, where a flag names it', ['user', '-p', 'default'], {}, 'payctl login --profile default'],
    ['no profile', ['user'], { PAYCTL_CONFIG_DIR: '/nowhere' }, 'payctl login'],
  ])('names the command for %s', async (_, argv, env, command) => {
    expect((await reported(refused, { argv, env })).text).toContain(`next:  ${command}\n`)
  })
})

describe('a bug', () => {
  it('says that it is one, without a stack', async () => {
    const { code, text } = await reported(new TypeError('oops'))
    expect(code).toBe(1)
    expect(text).toMatch(/^error: oops\n {2}This is a bug in payctl\. .+\n$/)
  })

  it('shows its stack when PAYCTL_DEBUG is set', async () => {
    expect((await reported(new TypeError('oops'), { env: { PAYCTL_DEBUG: '1' } })).text).toContain('failure.test.ts')
  })
})
