import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { payees } from '../commands/webhooks/rig.ts'
import { payctlCommand } from '../support/program.ts'
import { type Workplace, workplace } from './command_workplace.ts'

/** Runs payctl in a line of the shell that opens or closes its streams. */
async function inShell({ env }: Workplace, argv: readonly string[], redirections: string) {
  const child = spawn('sh', ['-c', `"$@" ${redirections}`, 'sh', ...payctlCommand(argv).flat()], {
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (said.stderr += text))
  child.stdin.on('error', () => {}).end()
  const [code] = await once(child, 'close')
  expect(said.stderr).not.toMatch(/^\s+at .+:\d+|This is a bug/m)
  return { code: code as number, ...said }
}

const send = ({ account }: Workplace, ...more: readonly string[]) => [
  ...['payments', 'send', '--yes', '--from', account, '--to', payees.completed, '--amount', '7', ...more],
]

/** Number of payments of seven colones at the service. */
const sent = async ({ client }: Workplace): Promise<number> => {
  const { data } = await client.call('payments.history')
  return data.filter(({ amount }) => amount.value === 700).length
}

// Only Linux has the device that is always full.
describe.runIf(existsSync('/dev/full'))('stdout that takes no more', () => {
  it('is a failure that says so, never a success', async () => {
    const at = await workplace()
    const reads = [
      ...[
        ['user'],
        ['accounts', 'list', '--json'],
        ['payments', 'history', '--all', '-o', 'csv'],
        ['phone', '87000001'],
      ],
      ...[['config', 'path'], ['completion', 'bash'], ['help', 'exit-codes'], ['--help'], ['accounts', '--help']],
      ...[
        ['doctor'],
        ['openapi'],
        ['api', 'user.get'],
        ['user', '--jq', '.id'],
        ['auth', 'token'],
        ['payments', 'intents'],
      ],
      ['emulate', '--port', '0', '--json'],
    ]
    const ends = await Promise.all(reads.map((argv) => inShell(at, argv, '>/dev/full')))
    for (const [number, { code, stderr }] of ends.entries()) {
      expect({ argv: reads[number], code, stderr }).toMatchObject({ code: 2 })
      expect(stderr).toContain("The output can't be written: ENOSPC")
    }
    const { code, stderr } = await inShell(at, ['--version'], '>/dev/full')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('ENOSPC') })
  })

  it('after a payment is exit 10: exit 2 would say that nothing was sent', async () => {
    const at = await workplace()
    for (const [number, flags] of [[], ['--json'], ['--wait'], ['--jq', '.id']].entries()) {
      const ending = inShell(at, send(at, ...flags), '>/dev/full')
      if (flags.includes('--wait')) while ((await sent(at)) <= number) {}
      await at.settle()
      const { code, stderr } = await ending
      expect({ flags, code, stderr }).toMatchObject({ code: 10 })
      expect(stderr).toContain('payctl payments get')
      expect(await sent(at)).toBe(number + 1)
    }
    const { stdout } = await at.run(['payments', 'intents', '--json'])
    expect(JSON.parse(stdout).map(({ status }: { status: string }) => status)).toEqual(Array(4).fill('settled'))
  })

  it('does not keep a batch from paying each row once', async () => {
    const at = await workplace()
    const file = at.file('b.csv', `to,amount,description,from\n${payees.completed},7,,${at.account}\n`)
    const batch = ['payments', 'batch', file, '--yes']
    expect((await inShell(at, batch, '>/dev/full')).code).toBe(10)
    expect((await inShell(at, batch, '')).code).toBe(0)
    expect(await sent(at)).toBe(1)
  })
})

describe('a stream that is closed from the start', () => {
  const redirections = ['>&-', '2>&-', '<&-', '<&- >&- 2>&-']

  it.each(redirections)('%s changes no exit code', async (redirection) => {
    const at = await workplace()
    const runs: readonly (readonly [readonly string[], number])[] = [
      [['user'], 0],
      [['--version'], 0],
      [['payments', 'service-status', '-v'], 0],
      [['payments', 'get', '00000000-0000-7000-8000-000000000000'], 3],
      [['nonsense'], 2],
      [send(at), 0],
      [send(at).filter((word) => word !== '--yes'), 2],
      [['phone'], 2],
      [['payments', 'batch', '-', '--yes'], 2],
      [['login', '--with-token'], 2],
      [['login'], 4],
      [['webhooks', 'delete', '00000000-0000-7000-8000-000000000000'], 2],
    ]
    const ends = await Promise.all(runs.map(([argv]) => inShell(at, argv, redirection)))
    expect(ends.map(({ code }, number) => [runs[number]?.[0], code])).toEqual(runs)
    expect(await sent(at)).toBe(1)
  })
})

describe('payctl | head -1', () => {
  it('ends with 0 and says nothing', async () => {
    const at = await workplace()
    const lists = [['accounts', 'list'], ['payments', 'history', '--all'], ['emulator', 'registry'], ['--help']]
    for (const argv of lists) {
      const { stdout, stderr } = await inShell(at, argv, '>"$PAYCTL_STATE_DIR.out"; echo $? >&2')
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '0\n' })
      const piped = await inShell(at, argv, '| head -1')
      expect(piped).toMatchObject({ code: 0, stderr: '' })
      expect(piped.stdout).toMatch(/^.+\n$/)
    }
  })
})
