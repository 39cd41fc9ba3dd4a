import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'

/**
 * A suite that makes a world, a payment without a key and an unfinished payment, ends the world, and sends it a late
 * request.
 */
const suite = (end: string) => `
  const { PAYCTL_BASE_URL: base, PAYCTL_TOKEN, PAYCTL_ACCOUNT_CRC: account } = process.env
  const headers = { Authorization: 'Bearer ' + PAYCTL_TOKEN, 'Content-Type': 'application/json' }
  const post = (url, body, more) =>
    fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { ...headers, ...more } }).then((a) => a.json())
  const order = { source_account_id: account, amount: 100, recipient_phone: '87000001' }
  const { data: world } = await post(base + '/_emulator/worlds', { name: 'a-test' })
  await post(world.base_url + '/api/payments', order)
  await post(world.base_url + '/api/payments', { ...order, '<b>&"': 1 }, { 'X-Idempotency-Key': 'k1' })
  await fetch(base + '/api/us|er%3Cb%3E', { headers })
  await fetch(base + '/_emulator/worlds/a-test', { method: 'DELETE' })
  await fetch(world.base_url + '/api/user', { headers })
  ${end}`

/** Runs the suite as the command of payctl emulate, in a folder for reports. */
async function run(flags: readonly string[], end = '', write = (_: (name: string) => string): readonly string[] => []) {
  const folder = await temporaryDirectory()
  const inFolder = (name: string) => join(folder, name)
  const command = [process.execPath, '--input-type=module', '-e', suite(end)]
  const started = startRun(['emulate', '--settle', 'manual', ...flags, ...write(inFolder), '--', ...command], {
    env: { PAYCTL_STATE_DIR: inFolder('state'), NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return { started, read: (name: string) => readFileSync(inFolder(name), 'utf8') }
}

const reports = (file: (name: string) => string) =>
  ['r.json', 'r.md', 'r.xml'].flatMap((name) => ['--report', file(name)])

describe('the report of payctl emulate -- command', () => {
  it('is printed when the command has ended, in lines that fit a screen, and its exit code stays', async () => {
    const { started } = await run(['--on-exit', 'report'], 'process.exit(7)')
    const { exitCode, stderr } = await started
    expect(exitCode).toBe(7)
    expect(stderr.split('\n')).toEqual([
      'Report: 3 requests to 2 worlds, 1 of 23 endpoints used.',
      expect.stringMatching(/^ {2}never used {2}user\.get, .* and 18 more$/),
      '  violations 2',
      '    a-test: r2 POST /api/payments, 201: <b>&": not known, and ignored',
      '    default: r1 GET /api/us|er%3Cb%3E, 404: the path does not exist',
      '  keys 1',
      '    a-test: r1 POST /api/payments, 400: a payment must have a key',
      '  unfinished 1',
      expect.stringMatching(/^ {4}a-test: [0-9a-f-]{36} pending, 1\.00 CRC$/),
      '  late 1',
      expect.stringMatching(/^ {4}a-test: GET \/api\/user at /),
      '  default_world 1',
      '    default: r1 GET /api/us|er%3Cb%3E',
    ])
  })

  it('is written to files, in the format of their extension', async () => {
    const { started, read } = await run(['--report-fail-on', 'late, untaken'], '', reports)
    const { exitCode, stderr } = await started
    expect({ exitCode, stderr }).toEqual({ exitCode: 6, stderr: 'The run fails because of its report: 1 late.' })
    expect(JSON.parse(read('r.json'))).toMatchObject({ requests: 3, late: { count: 1, first: [{ world: 'a-test' }] } })
    expect(read('r.md')).toContain('| Each payment has its own key (keys) | 1 |')
    expect(read('r.md')).toContain('- default: r1 GET /api/us\\|er%3Cb%3E, 404: the path does not exist')
    const xml = read('r.xml')
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites tests="14" failures="1" errors="0">\n/)
    expect(xml.match(/<testcase /g)).toHaveLength(14)
    expect(xml).not.toContain('<properties>')
    expect(xml).toContain('a-test: r2 POST /api/payments, 201: &lt;b&gt;&amp;&quot;: not known, and ignored')
    expect(xml).toContain('<failure message="1 finding" type="late">a-test: GET /api/user at ')
    expect(xml).toContain('<system-out>a-test: r1 POST /api/payments, 400: a payment must have a key</system-out>')
  })

  it('fails the run with --strict for each breach of the contract, and shows them', async () => {
    const { started } = await run(['--strict'])
    const { exitCode, stderr } = await started
    expect({ exitCode, lines: stderr.split('\n') }).toEqual({
      exitCode: 6,
      lines: [
        'The run fails because of its report: 5 strict.',
        '  a-test: r1 POST /api/payments, 400: a payment must have a key',
        '  a-test: r2 POST /api/payments, 201: <b>&": not known, and ignored',
        '  default: r1 GET /api/us|er%3Cb%3E, 404: the path does not exist',
        '  default: r1 GET /api/us|er%3Cb%3E, 404: the request named no world, but there were several',
        '  a-test: GET /api/user, 410: its world had ended',
      ],
    })
  })

  it('is written too when the command was killed', async () => {
    const { started, read } = await run([], "process.kill(process.pid, 'SIGKILL')", reports)
    expect((await started).exitCode).toBe(137)
    expect(JSON.parse(read('r.json'))).toMatchObject({ requests: 3, keys: { count: 1 } })
  })

  it('replaces a link instead of writing to its target, and is for its owner only', async () => {
    const folder = await temporaryDirectory()
    const [report, diary] = [join(folder, 'r.json'), join(folder, 'diary.txt')]
    writeFileSync(diary, 'dear diary')
    symlinkSync(diary, report)
    const { started } = await run(['--report', report])
    expect((await started).exitCode).toBe(0)
    expect(readFileSync(diary, 'utf8')).toBe('dear diary')
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ requests: 3 })
    expect((statSync(report).mode & 0o777).toString(8)).toBe('600')
  })

  it('that can’t be written is an error, not a success', async () => {
    const folder = await temporaryDirectory()
    mkdirSync(join(folder, 'r.json'))
    const lost = await run(['--report', join(folder, 'r.json')])
    const ended = await lost.started
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('error: the report could not be') })
    const nowhere = await run(['--report', join(folder, 'nowhere', 'r.json')], `console.log('ran')`)
    expect(await nowhere.started).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`Folder ${join(folder, 'nowhere')} does not exist.`),
    })
    const wrong = await run(['--report', 'report.txt'])
    expect(await wrong.started).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('.json, .md, .xml') })
  })
})
