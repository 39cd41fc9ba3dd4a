import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'

async function start(flags: readonly string[], command: readonly string[]) {
  const folder = await temporaryDirectory()
  const started = startRun(['emulate', '--settle', 'instant', ...flags, '--', ...command], {
    env: { PAYCTL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return { started, folder }
}

async function run(flags: readonly string[], command: readonly string[]) {
  const { started, folder } = await start(flags, command)
  return { ...(await started), folder }
}

/** Reads the user three times. Then sends each order, with a new key each time, until the service accepts it. */
const impatient = `
  const { PAYCTL_BASE_URL: base, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC: source_account_id } = process.env
  const headers = { Authorization: 'Bearer ' + PAYCTL_TOKEN, 'Content-Type': 'application/json' }
  for (let at = 0; at < 3; at += 1) await fetch(base + '/api/user', { headers }).catch(() => {})
  let key = 0
  for (const amount of [150000, 160000, 170000]) {
    const body = JSON.stringify({ source_account_id, amount, recipient_phone: '87000001' })
    for (let done = false; !done; key += 1) {
      done = await fetch(base + '/api/payments', {
        method: 'POST', body, headers: { ...headers, 'X-Idempotency-Key': 'k' + key }
      }).then(({ ok }) => ok, () => false)
    }
  }
  console.log('paid with seed', process.env.PAYCTL_SEED_RUN)`

const node = (script: string) => [process.execPath, '--input-type=module', '-e', script]

async function profile(text: string): Promise<string> {
  const file = join(await temporaryDirectory(), 'chaos.yaml')
  writeFileSync(file, text)
  return file
}

const often = 'lost_answers: 0.15\ntoo_many_requests: 0.4\nresets: 0.2\nretry_after_s: 0\n'

describe('payctl emulate --chaos-seeds', () => {
  it('stops at the lowest seed that fails, in order, and prints the output of that run alone', async () => {
    const flags = ['--chaos-profile', await profile(often), '--chaos-seeds', '30', '--chaos-reduce', '0']
    const { exitCode, stderr, stdout } = await run([...flags, '--chaos-jobs', '3'], node(impatient))
    const one = await run([...flags, '--chaos-jobs', '1'], node(impatient))
    const results = (text: string) =>
      [...text.matchAll(/^Seed (\d+), (\d+) of 30: (.*), \d+\.\d s$/gm)].map(([, ...all]) => all)
    expect(exitCode).toBe(6)
    expect(results(stderr)).toEqual(results(one.stderr))
    expect(results(stderr).map(([seed]) => Number(seed))).toEqual(results(stderr).map((_, at) => at + 1))
    expect(results(stderr).map(([, , result]) => result?.split(',')[0])).toEqual([
      ...results(stderr)
        .slice(1)
        .map(() => 'passed'),
      'exit 6',
    ])
    expect(stdout).toBe('paid with seed undefined')
  })

  it('runs all seeds if asked to, and exits with the code of the first that fails', async () => {
    const flags = ['--chaos-profile', await profile('lost_answers: 0.3\n'), '--chaos-seeds', '6', '--chaos-all']
    const { exitCode, stderr } = await run([...flags, '--chaos-reduce', '0'], node(impatient))
    expect(exitCode).toBe(6)
    expect(stderr.match(/^Seed \d of|^Seed \d+, /gm)).toHaveLength(6)
    const [failed] = /(?<=^Seed )\d+(?=, \d of 6: exit 6)/m.exec(stderr) ?? []
    expect(stderr).toContain(`Chaos ${failed}, custom`)
  })

  it('reduces the first seed that fails to one fault, in a file with which it fails again', async () => {
    const flags = ['--chaos', '1', '--chaos-profile', await profile(often), '--chaos-seeds', '30']
    const { exitCode, stderr, folder } = await run(flags, node(impatient))
    expect(exitCode).toBe(6)
    const [, seed, of] =
      /^Seed (\d+) needs 1 of (\d+) faults? to fail \(\d+ runs?; fails again in 3 of 3\):$/m.exec(stderr) ?? []
    expect(Number(of)).toBeGreaterThan(1)
    expect(stderr).toMatch(/^ {2}lost_answers at payments\.create, \d+(st|nd|rd|th)$/m)
    const file = join(folder, 'state', 'chaos', `seed-${seed}.yaml`)
    expect(readFileSync(file, 'utf8')).toMatch(
      /^retry_after_s: 0\nfaults:\n {2}- \{"kind":"lost_answers","at":"payments\.create","nth":\d+\}\n$/,
    )
    expect(stderr).toContain(
      `With these alone: payctl emulate --chaos ${seed} --chaos-profile ${file} --settle instant -- `,
    )
    const again = await run(['--chaos', '1', '--chaos-profile', file], node(impatient))
    expect(again.exitCode).toBe(6)
    expect(again.stderr).toContain('Chaos 1, custom: 1 fault in ')
    expect(again.stderr).toContain('paid_twice 1')
  })

  it('begins the search in the world whose order was paid twice', async () => {
    const suite = `
      const { PAYCTL_CONTROL_URL: control, PAYCTL_CONTROL_TOKEN: secret } = process.env
      for (const rng_stream of ['first', 'second', 'third', 'checkout', 'fourth', 'fifth', 'sixth']) {
        const headers = { 'Content-Type': 'application/json', ...(secret && { Authorization: 'Bearer ' + secret }) }
        const body = JSON.stringify({ rng_stream })
        const answer = await fetch(control + '/_emulator/worlds', { method: 'POST', headers, body })
        const { base_url, token, accounts } = (await answer.json()).data
        const user = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' }
        const reads = rng_stream === 'checkout' ? 0 : 30
        for (let at = 0; at < reads; at += 1) await fetch(base_url + '/api/user', { headers: user }).catch(() => {})
        if (rng_stream !== 'checkout') continue
        const source_account_id = accounts.find(({ currency }) => currency === 'CRC').id
        for (let key = 0, done = false; !done; key += 1) {
          done = await fetch(base_url + '/api/payments', {
            method: 'POST',
            headers: { ...user, 'X-Idempotency-Key': 'k' + key },
            body: JSON.stringify({ source_account_id, amount: 150000, recipient_phone: '87000001' }),
          }).then(({ ok }) => ok, () => false)
        }
      }`
    const flags = ['--chaos', '1', '--chaos-profile', await profile(often), '--chaos-seeds', '30']
    const { exitCode, stderr } = await run(flags, node(suite))
    expect(exitCode).toBe(6)
    const [, of, runs] =
      /^Seed \d+ needs 1 of (\d+) faults to fail \((\d+) runs; fails again in 3 of 3\):$/m.exec(stderr) ?? []
    expect(stderr).toMatch(/^ {2}lost_answers at payments\.create, \d+\w\w, in checkout$/m)
    expect(Number(of)).toBeGreaterThan(50)
    expect(Number(runs)).toBeLessThan(10)
  })

  it('writes the results of all seeds, with what happened to the order that was paid twice', async () => {
    const folder = await temporaryDirectory()
    const files = ['seeds.md', 'seeds.xml'].map((name) => join(folder, name))
    const reports = files.flatMap((file) => ['--chaos-report', file])
    const flags = ['--chaos-profile', await profile('lost_answers: 0.4\n'), '--chaos-seeds', '4', '--chaos-all']
    const { exitCode, stderr } = await run([...flags, ...reports], node(impatient))
    expect(exitCode).toBe(6)
    const [md = '', xml = ''] = files.map((file) => readFileSync(file, 'utf8'))
    const failed = [...stderr.matchAll(/^Seed (\d+), \d of 4: exit 6/gm)].map(([, seed]) => seed)
    expect(md).toContain(`# Chaos: ${failed.length} of 4 seeds failed\n`)
    expect(md).toMatch(
      new RegExp(`^\\| ${failed[0]} \\| exit 6: paid\\\\_twice, unresolved \\| \\d faults? \\| \\d+\\.\\d \\|$`, 'm'),
    )
    expect(md).toMatch(
      /^Fewest faults, 1 of \d+:\n {2}lost_answers at payments\.create, \d.*\nAgain: payctl emulate --chaos /m,
    )
    expect(md).toMatch(
      /was paid twice:\n {2}\S+ {2}r\d+ {2}POST \/api\/payments: the answer was lost; fault lose_answer; key k\d+ \[201\]\n(.*\n)*? {2}\S+ {2}r\d+ {2}POST \/api\/payments; key k\d+ \[201\]\n/,
    )
    expect(xml).toMatch(new RegExp(`<testsuite name="payctl chaos" tests="4" failures="${failed.length}" errors="0"`))
    expect(xml).toContain(`<testcase classname="payctl.chaos" name="seed ${failed[0]}"`)
    expect(xml).toContain('<failure message="exit 6: paid_twice, unresolved">')
    expect(xml).toContain('POST /api/payments: the answer was lost; fault lose_answer; key k')
  })

  it('is not a success if a report could not be written', async () => {
    const taken = join(await temporaryDirectory(), 'report.md')
    mkdirSync(taken)
    for (const flag of ['--report', '--chaos-report']) {
      const flags = ['--chaos-profile', await profile('resets: 0.1\n'), '--chaos-seeds', '1']
      const { exitCode, stderr } = await run([...flags, flag, taken], node(''))
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('could not be written') })
    }
  })

  it('says that a command fails without faults, and writes no file', async () => {
    const always = `
      const headers = { Authorization: 'Bearer ' + process.env.PAYCTL_TOKEN }
      for (let at = 0; at < 9; at += 1) await fetch(process.env.PAYCTL_BASE_URL + '/api/user', { headers }).catch(() => {})
      process.exit(9)`
    const report = join(await temporaryDirectory(), 'seeds.md')
    const flags = ['--chaos-profile', await profile(often), '--chaos-seeds', '9', '--chaos-verdict', 'command']
    const given = [...flags, '--chaos', '3', '--chaos-report', report]
    const { exitCode, stderr, folder } = await run(given, node(always))
    expect(exitCode).toBe(9)
    expect(stderr).toContain('Seed 3 also fails without any fault: chaos is not the cause.')
    expect(existsSync(join(folder, 'state', 'chaos'))).toBe(false)
    expect(readFileSync(report, 'utf8')).toMatch(/^## Seed 3: exit 9\n$/m)
    expect(readFileSync(report, 'utf8')).not.toContain('```')
  })

  it('says that a command fails by chance', async () => {
    const marker = join(await temporaryDirectory(), 'ran')
    const once = `
      const { existsSync, writeFileSync } = await import('node:fs')
      await fetch(process.env.PAYCTL_BASE_URL + '/api/user').catch(() => {})
      if (existsSync(${JSON.stringify(marker)})) process.exit(0)
      writeFileSync(${JSON.stringify(marker)}, '')
      await fetch(process.env.PAYCTL_BASE_URL + '/api/user').catch(() => {})
      ${impatient}`
    const often = await profile('lost_answers: 0.6\n')
    const { exitCode, stderr } = await run(['--chaos-profile', often, '--chaos-seeds', '1'], node(once))
    expect(exitCode).toBe(6)
    expect(stderr).toContain('The faults of seed 1 did not make the command fail again in 3 runs')
  })

  it('ends all runs with Ctrl-C, and those of a payctl that was killed', async () => {
    const folder = await temporaryDirectory()
    const waiting = `
      const { appendFileSync } = await import('node:fs')
      await fetch(process.env.PAYCTL_BASE_URL + '/api/user').catch(() => {})
      appendFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + '\\n')
      setInterval(() => {}, 1000)`
    const pids = () =>
      existsSync(join(folder, 'pids')) ? readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n') : []
    const isAlive = (pid: string) => {
      try {
        return process.kill(Number(pid), 0)
      } catch {
        return false
      }
    }
    const flags = ['--chaos-seeds', '9', '--chaos-jobs', '2']
    const interrupted = (await start(flags, node(waiting))).started
    await expect.poll(() => pids().length, { timeout: 20_000 }).toBe(2)
    interrupted.kill('SIGINT')
    expect(await interrupted).toMatchObject({ exitCode: 130 })
    expect(pids().filter(isAlive)).toEqual([])
    const killed = (await start(flags, node(waiting))).started
    await expect.poll(() => pids().length, { timeout: 20_000 }).toBe(4)
    killed.kill('SIGKILL')
    await killed
    await expect.poll(() => pids().filter(isAlive), { timeout: 20_000 }).toEqual([])
  })

  it.each([
    [['--chaos-jobs', '2'], '--chaos-jobs is only for runs with several seeds.'],
    [
      ['--chaos-seeds', '2', '--chaos-jobs', '2', '--port', '4999'],
      '--port is for one emulator, but each run has its own.',
    ],
    [['--chaos-seeds', '2', '--chaos-faults', 'no/such/x.yaml'], 'Folder no/such does not exist.'],
  ])('%j is refused', async (flags, message) => {
    const { exitCode, stderr } = await run(flags, ['echo', 'ran'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})
