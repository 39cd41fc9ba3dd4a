import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'

/** Pays five orders, each with the key from the expression `key`, and repeats a request until it succeeds. */
const payouts = (key: string, end = '') => `
  import { existsSync, writeFileSync } from 'node:fs'
  const { PAYCTL_BASE_URL: base, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC: source_account_id } = process.env
  const headers = { Authorization: 'Bearer ' + PAYCTL_TOKEN, 'Content-Type': 'application/json' }
  for (let n = 1; n <= 5; n += 1) {
    const body = JSON.stringify({ source_account_id, amount: 1000 * n, recipient_phone: '87000001', description: 'Payout of order ' + n })
    const key = ${key}
    for (let done = false; !done; ) {
      const options = { method: 'POST', body, headers: { ...headers, 'X-Idempotency-Key': key } }
      done = await fetch(base + '/api/payments', options).then(({ ok }) => ok, () => false)
    }
  }
  ${end}`

const calm = 'most_in_a_row: 1\n'

async function run(
  script: string,
  { flags = [], profile = calm, first = '1' }: { flags?: readonly string[]; profile?: string; first?: string } = {},
) {
  const folder = await temporaryDirectory()
  writeFileSync(join(folder, 'chaos.yaml'), profile)
  writeFileSync(join(folder, 'payouts.mjs'), script)
  const chaos = ['--chaos-kill', '--chaos-profile', join(folder, 'chaos.yaml'), '--report', join(folder, 'r.json')]
  const command = ['sh', '-c', `cd '${folder}' && '${process.execPath}' payouts.mjs`]
  const started = startRun(['emulate', '--settle', 'instant', '--chaos', first, ...chaos, ...flags, '--', ...command], {
    env: { PAYCTL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  const { exitCode, stderr } = await started
  const { kills, paid_twice, never_paid, unresolved } = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'))
  return { exitCode, stderr, kills, found: [paid_twice.count, never_paid.count, unresolved.count], paid_twice }
}

const seeds = ['--chaos-seeds', '4']

describe('payctl emulate --chaos-kill', () => {
  it('kills a command at requests and runs it again, and finds no fault with one whose keys are those of its orders', async () => {
    const { exitCode, stderr, kills, found } = await run(payouts("'order-' + n"), { flags: seeds })
    expect(found).toEqual([0, 0, 0])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('None of 4 seeds failed, from 1 to 4.')
    const one = await run(payouts("'order-' + n"))
    expect(one.exitCode).toBe(0)
    expect(one.stderr).toContain('Killed, as --chaos-kill asks. Run 2 of the command:')
    for (const [at, kill] of [kills, one.kills].flatMap((all) => [...all.entries()])) {
      expect(kill).toMatchObject({ world: 'default', method: 'POST', path: '/api/payments', run: at + 1 })
    }
  })

  it('finds each order that a command with keys from memory pays again', async () => {
    const { exitCode, stderr, kills, paid_twice } = await run(payouts('crypto.randomUUID()'), { flags: seeds })
    expect(exitCode).toBe(6)
    expect(kills.length).toBeGreaterThan(0)
    expect(paid_twice.count).toBeGreaterThan(0)
    expect(stderr).toMatch(
      /^ {2}killed at r\d+ {8,}POST \/api\/payments, (before the work|before the answer|after the answer)$/m,
    )
    expect(stderr).toMatch(/^Again: payctl emulate --chaos \d --settle instant --chaos-kill /m)
  })

  it('says of several seeds that the kills alone fail the first, with the timeline in the file of results', async () => {
    const results = join(await temporaryDirectory(), 'seeds.md')
    const { exitCode, stderr } = await run(payouts('crypto.randomUUID()'), {
      flags: ['--chaos-seeds', '6', '--chaos-jobs', '2', '--chaos-report', results],
      profile: 'too_many_requests: 0.5\nretry_after_s: 0\n',
    })
    expect(exitCode).toBe(6)
    const [, seed] = /^Seed (\d), \d of 6: exit 6, \d+ faults?, /m.exec(stderr) ?? []
    expect(stderr).toContain(`Seed ${seed} fails when only the kills happen: no other fault is needed.`)
    expect(stderr).not.toContain('With these alone:')
    expect(stderr).toMatch(new RegExp(`^Again: payctl emulate --chaos ${seed} .*--chaos-kill .*-- sh -c `, 'm'))
    const text = readFileSync(results, 'utf8')
    expect(text).toContain(`| ${seed} | exit 6: paid\\_twice`)
    expect(text).toMatch(/was paid twice:\n(.*\n)* {2}\S+Z {2}r\d+ {2}POST \/api\/payments/)
  })

  it('keeps the kills of a seed where several run at the same time', async () => {
    const killsOf = (stderr: string) => stderr.match(/^ {2}killed at .*$/gm)
    const command = payouts('crypto.randomUUID()')
    const several = await run(command, { flags: ['--chaos-seeds', '4', '--chaos-jobs', '4'] })
    const [, seed = ''] = /^Seed (\d), \d of 4: exit 6/m.exec(several.stderr) ?? []
    const alone = await run(command, { flags: ['--chaos-seeds', '1'], first: seed })
    expect(killsOf(alone.stderr)).toEqual(killsOf(several.stderr))
  })

  it('finds a payment that a command marks as sent before it sends it', async () => {
    const script = payouts("'order-' + n").replace(
      'const key',
      `const mark = process.env.PAYCTL_CHAOS_SEED + '-' + n
    if (existsSync(mark)) continue
    writeFileSync(mark, '')
    const key`,
    )
    const { exitCode, found, stderr } = await run(script, { flags: ['--chaos-seeds', '20'] })
    expect(exitCode).toBe(6)
    expect(found[1] + found[2]).toBeGreaterThan(0)
    expect(stderr).toMatch(/^The run fails because of its report: /m)
  })

  it('fails a command that can’t be run again', async () => {
    const script = `import { writeFileSync, existsSync } from 'node:fs'
      if (existsSync('lock')) process.exit(9)
      writeFileSync('lock', '')
      ${payouts("'order-' + n").replace(/import.*/, '')}`
    expect((await run(script, { flags: seeds })).exitCode).toBe(9)
  })

  it.each([
    [['--chaos-kill', '--', 'true'], '--chaos-kill needs a seed.'],
    [['--chaos', '1', '--chaos-kill'], '--chaos-kill needs a command to kill.'],
  ])('%j is refused', async (flags, message) => {
    const { exitCode, stderr } = await startRun(['emulate', ...flags], { env: {}, process: true, stdin: 'ignore' })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})
