import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'
import { openPayctl } from '../support/terminal.ts'

async function run(args: readonly string[]) {
  const folder = await temporaryDirectory()
  const env = { PAYCTL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' }
  const started = startRun(args, { env, process: true, stdin: 'ignore' })
  onTestFinished(() => void started.kill('SIGKILL'))
  return await started
}

/** The last line of the output: the command that repeats the run. */
const again = (text: string): string => /^Again.*/m.exec(text)?.[0] ?? ''

/** payctl's arguments when a shell runs the command of that line. */
async function typed(line: string): Promise<readonly string[]> {
  const command = line.slice(line.indexOf('payctl '))
  const { stdout } = await execa('bash', ['-c', `payctl() { printf '%s\\0' "$@"; }\n${command}`])
  return stdout.split('\0').slice(0, -1)
}

describe('the line that has the same happen again', () => {
  it.each([
    ['quotes and dollars', ["it's", '$HOME', '"', '`id`', '!x', '\\']],
    ['several lines and tabs', ['a\nb\tc', "it's\r\n"]],
    ['characters that are not seen', ['\u001b[31mred', 'a\u200bb', '\u{e0061}']],
    ['what looks like a gap to fill in', ['<name>', '...']],
    ['nothing, and other characters', ['', '~', '*', '#', 'é', '日本', '-']],
    ['flags of payctl', ['--chaos', '7', '--chaos-seeds=9', '--token', 'x', '--']],
  ])('takes a command with %s as it was', async (_, words) => {
    const command = ['sh', '-c', 'exit 9', ...words]
    const { exitCode, stderr } = await run(['emulate', '--chaos', '5', '--chaos-seeds', '2', '--', ...command])
    expect(exitCode).toBe(9)
    expect(await typed(again(stderr))).toEqual(['emulate', '--chaos', '5', '--', ...command])
    for (const hidden of ['\u001b', '\u200b', '\t']) expect(stderr).not.toContain(hidden)
  })

  it('has flags before the command where they were', async () => {
    const { stderr } = await run(['--profile', 'emulate', 'emulate', '--chaos=3', 'false'])
    expect(again(stderr)).toBe('Again: payctl --profile emulate emulate --chaos 3 -- false')
  })

  it('names files with secrets, and says which secrets it leaves out', async () => {
    const file = join(await temporaryDirectory(), 'token')
    writeFileSync(file, 'a-token-of-the-test')
    const filed = await run(['emulate', '--chaos', '1', '--token-file', file, '--', 'false'])
    expect(again(filed.stderr)).toBe(`Again: payctl emulate --chaos 1 --token-file ${file} -- false`)
    const flags = ['--token', 'one-secret', '--control-token=two-secret']
    const { stderr } = await run(['emulate', ...flags, '--chaos', '1', '--', 'false'])
    expect(again(stderr)).toBe(
      'Again, with --token and --control-token as they were: payctl emulate --chaos 1 -- false',
    )
    expect(stderr).not.toContain('secret')
  })

  it('is not broken on a terminal', async () => {
    const words = Array.from({ length: 30 }, (_, at) => `word-${at}`)
    const env = { PAYCTL_STATE_DIR: join(await temporaryDirectory(), 'state') }
    const terminal = openPayctl(['emulate', '--chaos', '1', '--', 'false', ...words], { columns: 60, env })
    expect(await terminal.ended).toBe(1)
    expect(terminal.written).toContain(`Again: payctl emulate --chaos 1 -- false ${words.join(' ')}\r\n`)
  })
})

describe('payctl emulate --chaos', () => {
  /** Pays one order twice, as if the first answer had been lost. */
  const twice = `
    const { PAYCTL_BASE_URL: base, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC: source_account_id } = process.env
    const headers = { Authorization: 'Bearer ' + PAYCTL_TOKEN, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ source_account_id, amount: 150000, recipient_phone: '87000001' })
    for (const key of ['one', 'two']) {
      await fetch(base + '/api/payments', {
        method: 'POST', body, headers: { ...headers, 'X-Idempotency-Key': key }
      }).catch(() => {})
    }`

  it('says why it fails with --quiet too, and where a report can’t be written', async () => {
    const folder = await temporaryDirectory()
    const profile = join(folder, 'chaos.yaml')
    writeFileSync(profile, 'lost_answers: 1\n')
    const command = [process.execPath, '--input-type=module', '-e', twice]
    const flags = ['-q', '--settle', 'instant', '--chaos', '1', '--chaos-profile', profile]
    const failed = await run(['emulate', ...flags, '--', ...command])
    expect(failed).toMatchObject({
      exitCode: 6,
      stderr: 'The run fails because of its report: 1 paid_twice, 2 unresolved.',
    })
    const report = join(folder, 'r.json')
    mkdirSync(report)
    const unwritten = await run(['emulate', '-q', '--report', report, '--', 'true'])
    expect(unwritten.exitCode).toBe(2)
    expect(unwritten.stderr).toMatch(/^error: the report could not be written: it is a folder/)
  })

  it('prints the failed seed with --quiet too, whatever made it fail', async () => {
    const profile = join(await temporaryDirectory(), 'chaos.yaml')
    writeFileSync(profile, 'lost_answers: 1\n')
    const seeds = ['--chaos', '5', '--chaos-seeds', '3', '--chaos-profile', profile]
    const twicePaid = [process.execPath, '--input-type=module', '-e', twice]
    const byReport = await run(['emulate', '-q', '--settle', 'instant', ...seeds, '--', ...twicePaid])
    expect(byReport.exitCode).toBe(6)
    expect(byReport.stderr.split('\n')).toEqual([
      'The run fails because of its report: 1 paid_twice, 2 unresolved.',
      expect.stringMatching(/^Seed 5, 1 of 3: exit 6, \d faults?, \d+\.\d s$/),
    ])
    const byItself = await run(['emulate', '-q', ...seeds, '--', 'sh', '-c', 'exit 9'])
    expect(byItself.exitCode).toBe(9)
    expect(byItself.stderr).toMatch(/^Seed 5, 1 of 3: exit 9, 0 faults, \d+\.\d s$/)
    const passed = await run(['emulate', '-q', ...seeds, '--', 'true'])
    expect(passed).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it.each([[[]], [['--chaos', '1']], [['--chaos', '1', '--chaos-seeds', '3']]])(
    'reports only that a command does not exist, also in a report (%j)',
    async (flags) => {
      const report = join(await temporaryDirectory(), 'r.xml')
      const told = ['--report', report, '--on-exit', 'report']
      const { exitCode, stderr } = await run(['emulate', ...flags, ...told, '--', './nowhere.sh'])
      expect({ exitCode, stderr }).toEqual({ exitCode: 127, stderr: 'error: ./nowhere.sh: command not found.' })
      expect(existsSync(report)).toBe(false)
    },
  )

  it('refuses a profile without a name, as of an unset variable', async () => {
    const { exitCode, stderr } = await run(['emulate', '--chaos', '1', '--chaos-profile', '', '--', 'true'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Give mild, hostile, or a YAML file.')
  })
})
