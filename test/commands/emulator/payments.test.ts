import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { crcAccount } from '../../e2e/machine.ts'
import { runPayctl } from '../../support/run_payctl.ts'

/** An emulator whose clock stands still, and a payment in progress. */
async function start() {
  const emulator = await startEmulator({ settle: 1000, clock: '2026-01-05T18:00:00Z' })
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, NO_COLOR: '1', TZ: 'UTC' }
  const payctl = (line: string, terminal = 0) => runPayctl(line.split(' '), { env, terminal })
  const answer = await fetch(`${emulator.baseUrl}/api/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${emulator.token}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': 'rent-2026-01',
    },
    body: JSON.stringify({ source_account_id: crcAccount(emulator), amount: 150_025, recipient_phone: '87000001' }),
  })
  const { data } = (await answer.json()) as { data: { id: string } }
  return { emulator, payctl, id: data.id }
}

describe('emulator payments', () => {
  it('lists payments of all users, by text and status', async () => {
    const { payctl, id } = await start()
    const found = await payctl('emulator payments --text rent-2026 --status pending,processing --direction out --json')
    expect(JSON.parse(found.stdout)).toMatchObject([{ id, status: 'pending' }])
    expect((await payctl('emulator payments --status failed')).stderr).toContain('No payments.')
    expect(JSON.parse((await payctl('emulator payments --account 00c1 --json')).stdout)).toHaveLength(1)
  })

  it('shows one payment with what can happen next, and how', async () => {
    const { payctl, id } = await start()
    const shown = await payctl(`emulator payments show ${id.slice(-6)}`, 80)
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('completed by itself at 18:00:01: captures 1,500.25 CRC')
    expect(shown.stderr).toContain(`payctl emulator payment ${id} processing`)
    await payctl(`emulator payment ${id} completed`)
    const { stdout } = await payctl('emulator payments show last --json')
    expect(JSON.parse(stdout).next).toMatchObject([{ to: 'returned' }])
    expect((await payctl('emulator payments show last')).stderr).toContain(`payctl emulator payment ${id} return`)
  })
})

describe('emulator find', () => {
  it('prints what has an id, and the command that opens it', async () => {
    const { payctl, id } = await start()
    const { stdout, stderr } = await payctl('emulator find rent-2026-01', 80)
    expect(stdout).toContain(id)
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
    expect(stderr).toContain(`payctl emulator payments show ${id}`)
    expect(await payctl('emulator find rent-2026-02')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Nothing in this world matches.'),
    })
    expect(JSON.parse((await payctl(`emulator find ${id} --json`)).stdout)).toEqual([
      { matched: 'id', kind: 'payment', id, about: expect.stringContaining('1,500.25 CRC, pending') },
    ])
  })
})

describe('emulator compare', () => {
  it('exits with 0 for a world and its fork, and with 1 and the differences if they differ', async () => {
    const { emulator, payctl, id } = await start()
    await emulator.control.worlds.create({ name: 'fork', from: { world: 'default' } })
    expect(await payctl('emulator compare fork')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('default and fork are the same'),
    })
    await payctl(`emulator payment ${id} completed`)
    await payctl(`emulator payment ${id} failed --world fork`)
    const { code, stdout, stderr } = await payctl('emulator compare default fork', 80)
    expect(stderr).toContain('From default to fork: 2 removed, 2 added, 1 changed, 10 the same;')
    expect(code).toBe(1)
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
    expect(stdout).toContain('status completed → failed')
    const json = await payctl('emulator compare fork --json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ worlds: ['default', 'fork'], same: false })
    expect(await payctl('emulator compare default')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The world default is not a fork.'),
    })
  })
})
