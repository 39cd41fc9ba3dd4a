import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limitedPayctl, rowsOf, sending } from './limited_payctl.ts'

/** A machine with limits, and the paths of its files. */
async function setUp() {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  return { ...at, limitsFile: join(at.folder, 'config', 'limits.json'), state: join(at.folder, 'state') }
}

test.each([
  ['cut off', '{"version": 1, "prof', 'it is not JSON'],
  ['empty', '', 'it is not JSON'],
  ['no object', '[]', 'it is not a JSON object'],
  ['newer', '{"version": 2, "profiles": {}}', 'was written by a newer payctl'],
  ['without profiles', '{"version": 1}', 'profiles is missing'],
  [
    'with a limit that is not known',
    '{"version": 1, "profiles": {"default": {"services": [], "users": null, "per_week": {"CRC": 1}}}}',
    'per_week of profile default is not known to this payctl',
  ],
  [
    'with a limit that is not a number',
    '{"version": 1, "profiles": {"default": {"services": [], "users": null, "per_day": {"CRC": "many"}}}}',
    'CRC of per_day of profile default is not a whole number',
  ],
  [
    'with hours that are none',
    '{"version": 1, "profiles": {"default": {"services": [], "users": null, "hours": "late"}}}',
    'hours of profile default must be like 08:00-17:00',
  ],
])('limits in a file that is %s keep every payment', async (_, content, says) => {
  const at = await setUp()
  writeFileSync(at.limitsFile, content)

  const runs = [await at.send('1'), await at.run('payments', 'batch', at.file('a.csv', rowsOf('1')), '--yes')]

  for (const { exitCode, stderr } of runs) {
    expect(stderr.replace(/\s+/g, ' ')).toContain(says)
    expect(stderr).toContain('Nothing was sent')
    expect(exitCode).toBe(2)
  }
  expect(at.requested()).toBe(0)
})

test('a limits file that was deleted keeps every payment', async () => {
  const at = await setUp()
  rmSync(at.limitsFile)

  const runs = [await at.send('1'), await at.run('payments', 'batch', at.file('a.csv', rowsOf('1')), '--yes')]

  for (const { exitCode, stderr } of runs) {
    expect(stderr).toContain('Profile default had limits')
    expect(exitCode).toBe(5)
  }
  expect(at.requested()).toBe(0)
})

test('a profile that was taken out of the limits file keeps every payment, and can be limited again only at a terminal', async () => {
  const at = await setUp()
  writeFileSync(at.limitsFile, '{"version": 1, "profiles": {}}')

  expect(await at.send('1')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('had limits') })
  const { exitCode, stderr } = await at.run('limits', 'set', '--per-day', '1000000', 'CRC')
  expect(exitCode).toBe(5)
  expect(stderr).toContain('only a person at a terminal can do')
  expect(at.requested()).toBe(0)
})

test('a journal that was deleted, and another state folder, keep payments that a day limits', async () => {
  const at = await setUp()
  await at.send('90')
  const elsewhere = { env: { PAYCTL_STATE_DIR: join(at.folder, 'elsewhere') } }
  const argv = ['payments', 'batch', at.file('a.csv', rowsOf('90')), '--yes']

  const other = await at.start(argv, elsewhere)
  for (const end of ['', '-wal', '-shm']) rmSync(join(at.state, `journal.db${end}`), { force: true })
  const deleted = await at.start(argv)

  for (const { exitCode, stderr } of [other, deleted]) {
    expect(stderr.replace(/\s+/g, ' ')).toContain("are not counted in this run's payment journal but in another")
    expect(exitCode).toBe(5)
  }
  expect(at.requested()).toBe(1)
})

test('limits hold for every profile, flag and spelling that leads to the same service as the same user', async () => {
  const at = await setUp()
  const { port } = new URL(at.service.url)
  await at.run('profiles', 'set', 'other', '--base-url', at.service.url)

  const other = { PAYCTL_BASE_URL: undefined, PAYCTL_PROFILE: 'other' }
  const ways = [
    other,
    { PAYCTL_BASE_URL: `http://localhost:${port}/` },
    { PAYCTL_BASE_URL: `HTTP://127.0.0.1:${port}` },
    { PAYCTL_TOKEN: 'another-token-of-the-same-user' },
  ]
  for (const env of ways) {
    const { exitCode, stderr } = await at.start([...sending('101'), '--yes'], { env })
    expect({ env, exitCode, stderr }).toMatchObject({ exitCode: 5 })
    expect(stderr).toContain('The limits of profile default')
  }
  const { exitCode } = await at.start([...sending('101'), '--yes'], { env: { ...other, PAYCTL_TOKEN: 'alice' } })
  expect(exitCode).toBe(0) // another customer of the same service
  expect(at.requested()).toBe(1)
})
