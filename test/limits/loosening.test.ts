import { describe, expect, test } from 'vitest'
import { keys, openPayctl } from '../support/terminal.ts'
import { type LimitedPayctl, limitedPayctl } from './limited_payctl.ts'

const url = 'https://api.example.com'

/** A machine with limits on an active live profile. */
async function setUp() {
  const at = await limitedPayctl()
  const own = { ...at.env, PAYCTL_BASE_URL: '', PAYCTL_TOKEN: '', PAYCTL_PROFILE: 'prod' }
  const start = (argv: readonly string[], env = {}) => at.start(argv, { env: { ...own, ...env } })
  for (const argv of [
    ['profiles', 'set', 'prod', '--base-url', url, '--live'],
    ['limits', 'set', '--per-day', '100', '--per-payment', '50', 'CRC', '--hours', '08:00-17:00', '--read-only'],
    ['limits', 'set', '--allow-payee', '88881234', '--confirm-above', '10 CRC'],
  ]) {
    const { exitCode, stderr } = await start(argv)
    if (exitCode !== 0) throw new Error(stderr)
  }
  const limits = async () => JSON.parse((await start(['limits', '--json'])).stdout)
  return { ...at, env: own, start, limits }
}

const loosening: readonly (readonly string[])[] = [
  ['limits', 'set', '--per-day', '101', 'CRC'],
  ['limits', 'set', '--per-day', '10', 'USD'],
  ['limits', 'set', '--per-payment', '51', 'CRC'],
  ['limits', 'set', '--confirm-above', '11', 'CRC'],
  ['limits', 'set', '--allow-payee', '88881235'],
  ['limits', 'set', '--hours', '07:59-17:00'],
  ['limits', 'remove', 'per-day'],
  ['limits', 'remove', 'read-only'],
  ['limits', 'remove', 'all'],
  ['limits', 'recount'],
  ['limits', 'count-anew'], // its earlier name
  ['profiles', 'set', 'prod', '--no-live'],
  ['profiles', 'delete', 'prod', '--yes'],
]

test('tightening takes no person', async () => {
  const { start } = await setUp()
  for (const argv of [
    ['limits', 'set', '--per-day', '99', 'CRC'],
    ['limits', 'set', '--confirm-above', '9', 'CRC'],
    ['limits', 'set', '--hours', '08:01-16:59'],
    ['limits', 'set', '--per-payee-day', '5', 'CRC'],
  ]) {
    expect({ argv, ...(await start(argv)) }).toMatchObject({ exitCode: 0 })
  }
})

test('loosening is refused off a terminal, changes nothing, and is in the audit file', async () => {
  const { start, limits, audited } = await setUp()
  const before = await limits()

  for (const argv of loosening) {
    const { exitCode, stderr } = await start(argv)
    expect({ argv, exitCode, stderr }).toMatchObject({ exitCode: 5 })
    expect(stderr.replace(/\s+/g, ' ')).toContain('only a person at a terminal can do. Nothing was changed.')
  }

  expect(await limits()).toEqual(before)
  expect(audited().map(({ event, profile, decided_by }) => [event, profile, decided_by])).toEqual(
    loosening.map(() => ['refused', 'prod', null]),
  )
})

describe('at a terminal loosening', () => {
  const day = ['limits', 'set', '--per-day', '101', 'CRC']
  const most = async ({ limits }: Pick<Awaited<ReturnType<typeof setUp>>, 'limits'>) =>
    (await limits()).find(({ limit }: { limit: string }) => limit === 'per_day').most.formatted

  test('takes the name of the profile, typed', async () => {
    const at = await setUp()
    const terminal = openPayctl(day, { env: at.env })

    await terminal.shows('per day 100.00 CRC -> 101.00 CRC')
    await terminal.answer('Type prod to continue', `prod${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(await most(at)).toBe('101.00 CRC')
    expect(at.audited()).toMatchObject([{ event: 'loosened', profile: 'prod', decided_by: 'typed' }])
  })

  test.each(['yes', 'Prod', ''])('is not agreed to by typing %j', async (answer) => {
    const at = await setUp()
    const terminal = openPayctl(day, { env: at.env })

    await terminal.answer('Type prod to continue', `${answer}${keys.enter}`)

    expect(await terminal.ended).not.toBe(0)
    expect(terminal.screen).toContain('nothing was changed')
    expect(await most(at)).toBe('100.00 CRC')
  })

  test.each<[string, readonly string[], Record<string, string>]>([
    ['on a build server', [], { CI: 'true' }],
    ['with --no-input', ['--no-input'], {}],
  ])('is refused %s', async (_, flags, env) => {
    const at = await setUp()
    const terminal = openPayctl([...day, ...flags], { env: { ...at.env, ...env } })

    expect(await terminal.ended).toBe(5)
    expect(terminal.screen).toContain('only a person at a terminal')
    expect(await most(at)).toBe('100.00 CRC')
  })

  test('is offered for a profile that is deleted', async () => {
    const at = await setUp()
    const terminal = openPayctl(['profiles', 'delete', 'prod', '--yes'], { env: at.env })

    await terminal.answer('Type prod to continue', `prod${keys.enter}`)

    expect(await terminal.ended).toBe(0)
    expect(at.audited()).toMatchObject([{ event: 'loosened', what: 'all limits are removed' }])
  })
})

test('limits that were removed at a terminal no longer hold', async () => {
  const at: LimitedPayctl = await limitedPayctl()
  await at.limit('--per-day', '1', 'CRC')
  expect((await at.send('2')).exitCode).toBe(5)
  const terminal = openPayctl(['limits', 'remove', 'all'], { env: at.env })

  await terminal.answer('Type default to continue', `default${keys.enter}`)

  expect(await terminal.ended).toBe(0)
  expect((await at.send('2')).exitCode).toBe(0)
})
