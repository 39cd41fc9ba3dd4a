import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'

/** Sends one order until it is answered, with another key each time. Ends with this exit code. */
const impatient = (code = 0) => `
  const { PAYCTL_BASE_URL: base, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC: source_account_id } = process.env
  const headers = { Authorization: 'Bearer ' + PAYCTL_TOKEN, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ source_account_id, amount: 150000, recipient_phone: '87000001' })
  for (let key = 1, done = false; !done; key += 1) {
    done = await fetch(base + '/api/payments', {
      method: 'POST', body, headers: { ...headers, 'X-Idempotency-Key': 'k' + key }
    }).then(({ ok }) => ok, () => false)
  }
  process.exit(${code})`

async function run(flags: readonly string[], command: readonly string[]) {
  const folder = await temporaryDirectory()
  const started = startRun(['emulate', '--settle', 'instant', ...flags, '--', ...command], {
    env: { PAYCTL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return { ...(await started), folder }
}

const node = (script: string) => [process.execPath, '--input-type=module', '-e', script]

/** A file with a profile that loses a third of the answers. */
async function profile(text = 'lost_answers: 0.34\n'): Promise<string> {
  const file = join(await temporaryDirectory(), 'chaos.yaml')
  writeFileSync(file, text)
  return file
}

describe('payctl emulate --chaos', () => {
  it('fails a command that pays twice and succeeds, reports what happened, and says how to repeat it', async () => {
    const flags = ['--chaos-profile', await profile(), '--chaos-seeds', '20', '--token', 'a-secret-of-the-test']
    const { exitCode, stderr } = await run(['--chaos', '1', ...flags], node(impatient()))
    expect(exitCode).toBe(6)
    const lines = stderr.split('\n')
    const [, seed, count] = /^Seed (\d+), (\d+) of 20: exit 6, 1 fault, \d+\.\d s$/m.exec(stderr) ?? []
    expect(count).toBe(seed)
    expect(lines.filter((line) => line.includes(': passed, 0 faults, '))).toHaveLength(Number(seed) - 1)
    expect(lines.slice(-7)).toEqual([
      `Chaos ${seed}, custom: 1 fault in 2 requests.`,
      '  lost_answers         1 of 2',
      '  paid_twice 1',
      '    default: r1 and r2, 1,500.00 CRC to 87000001: the first answer was lost',
      '  unresolved 1',
      expect.stringMatching(/^ {4}default: r1, [0-9a-f-]{36}, 1,500\.00 CRC$/),
      expect.stringMatching(
        `^Again, with --token as it was: payctl emulate --chaos ${seed} --settle instant --chaos-profile \\S+chaos.yaml -- `,
      ),
    ])
    expect(stderr).not.toContain('a-secret')
    const again = await run(['--chaos', seed ?? '', '--chaos-profile', flags[1] ?? ''], node(impatient()))
    expect(again.exitCode).toBe(6)
    expect(again.stderr.split('\n')[1]).toBe(`Chaos ${seed}, custom: 1 fault in 2 requests.`)
  })

  it('leaves the verdict on a failing command to the report, unless a flag says otherwise', async () => {
    const flags = ['--chaos', '1', '--chaos-profile', await profile('lost_answers: 0.6\n')]
    const byReport = await run(flags, node(impatient(9)))
    expect(byReport.exitCode).toBe(6)
    expect(byReport.stderr).toContain(
      'The command ended with exit code 9. Only the report decides whether the run fails',
    )
    expect((await run([...flags, '--chaos-verdict', 'command'], node(impatient(9)))).exitCode).toBe(9)
    const red = `await fetch(process.env.PAYCTL_BASE_URL + '/api/payments/service-status').catch(() => {}); process.exit(1)`
    expect((await run(['--chaos', '1'], node(red))).exitCode).toBe(0)
    expect((await run(['--chaos', '1'], ['sh', '-c', 'exit 3'])).exitCode).toBe(3) // the command sends no request
  })

  it('has nothing to say about a command that has no fault', async () => {
    const calm = await run(
      ['--chaos', '1', '--chaos-seeds', '2', '--chaos-profile', await profile('{}')],
      node(impatient()),
    )
    expect(calm).toMatchObject({ exitCode: 0, stdout: '' })
    expect(calm.stderr.split('\n').slice(-2)).toEqual([
      'The profile causes no faults.',
      'None of 2 seeds failed, from 1 to 2.',
    ])
  })

  it('says that a command has asked for nothing, and what has to be as it was to have the same again', async () => {
    const data = join(await temporaryDirectory(), 'world.sqlite')
    const { exitCode, stderr } = await run(['--chaos', '1', '--data', data], ['true'])
    expect(exitCode).toBe(0)
    expect(stderr.split('\n')).toEqual([
      'No request arrived: does the command use PAYCTL_BASE_URL?',
      'Chaos 1, mild: 0 faults in 0 requests.',
      expect.stringMatching(`^Again, with ${data} as it was before: payctl emulate --chaos 1 `),
    ])
  })

  it('interrupted, has not passed, also with a command that then ends well', async () => {
    const patient = `
      await fetch(process.env.PAYCTL_BASE_URL + '/api/user').catch(() => {})
      process.on('SIGINT', () => process.exit(0))
      process.kill(process.ppid, 'SIGINT')
      setInterval(() => {}, 1000)`
    const { exitCode, stderr } = await run(['--chaos', '1', '--chaos-seeds', '3'], node(patient))
    expect(exitCode).toBe(130)
    const lines = stderr.split('\n')
    expect(lines[0]).toMatch(/^Seed 1, 1 of 3: interrupted, \d faults?, \d+\.\d s$/)
    expect(lines.at(-1)).toMatch(/^Again: payctl emulate --chaos 1 /)
    expect(stderr).not.toContain('seeds failed')
  })

  it('writes what happened into the reports', async () => {
    const { folder } = await run([], ['true'])
    const file = (name: string) => join(folder, name)
    const reports = ['r.json', 'r.md', 'r.xml'].flatMap((name) => ['--report', file(name)])
    const always = await profile('lost_answers: 1\nmost_in_a_row: 1000\n')
    const give = impatient().replace('!done', 'key < 4')
    const { exitCode } = await run(['--chaos', '3', '--chaos-profile', always, ...reports], node(give))
    expect(exitCode).toBe(6)
    const [json, md, xml] = ['r.json', 'r.md', 'r.xml'].map((name) => readFileSync(file(name), 'utf8'))
    expect(JSON.parse(json ?? '')).toMatchObject({
      paid_twice: { count: 2 },
      unresolved: { count: 3 },
      chaos: { seed: 3, profile: 'custom', counts: [{ kind: 'lost_answers', chances: 3, fired: 3 }] },
    })
    expect(md).toContain('## Chaos 3, custom')
    expect(md).toContain('| lost_answers | 3 | 3 |')
    expect(md).toContain('| No order is paid twice (paid_twice) | 2 |')
    expect(xml).toMatch(
      /<testsuite [^>]*>\n {4}<properties>\n {6}<property name="chaos\.seed" value="3"\/>\n {6}<property name="chaos\.profile" value="custom"\/>\n {4}<\/properties>\n {4}<testcase /,
    )
    expect(xml).toContain('<failure message="2 findings" type="paid_twice">default: r1 and r2, ')
  })

  it.each([
    [['--chaos-profile', 'mild'], '--chaos-profile works only with --chaos.'],
    [['--chaos', '1', '--chaos-seeds', '3', '--data', 'x.sqlite'], 'each seed has a new world, in memory'],
    [['--chaos', '4294967295', '--chaos-seeds', '3'], 'The largest seed is 4294967295.'],
    [['--chaos', 'seven'], 'Give a whole number from 0 to 4294967295.'],
    [['--chaos', '1', '--chaos-profile', 'nowhere.yaml'], 'nowhere.yaml can’t be read'],
    [['--chaos', '1', '--chaos-profile', 'Hostile'], 'Give mild, hostile, or a profile in YAML or JSON.'],
  ])('%j is refused, and nothing is run', async (flags, message) => {
    const { exitCode, stderr, stdout } = await run(flags, ['echo', 'ran'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('says where a profile is wrong', async () => {
    const file = await profile('lost_answers: 2\n')
    const { exitCode, stderr } = await run(['--chaos', '1', '--chaos-profile', file], ['true'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${file}:1:15`)
    expect(stderr).toContain('must be at most 1')
    const two = await run(['--chaos', '1', '--chaos-profile', await profile('resets: 0\n---\nresets: 1\n')], ['true'])
    expect(two.stderr).toMatch(/chaos\.yaml:2:1: begins another document; one is read$/m)
  })
})
