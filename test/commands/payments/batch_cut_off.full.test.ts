import { describe, expect, test, vi } from 'vitest'
import { randomNumbers } from '../../emulator/random_numbers.ts'
import { batchWorld, colones, fileOf, heading, payees, rowsOf, worth } from './batch_file.ts'

type World = Awaited<ReturnType<typeof batchWorld>>

/** Checks that each row was paid exactly once, and that nothing else was paid. */
async function requirePaidOnce(world: World, content: string): Promise<void> {
  const payments = await world.payments()
  const rows = content.split('\n').slice(1)
  expect(payments.map(({ description }) => description).sort()).toEqual(rows.map((row) => row.split(',')[2]).sort())
  expect(payments.reduce((sum, { amount }) => sum + amount.value, 0)).toBe(worth(content))
  const pins = rows.filter((row) => row.startsWith('CR')).length
  await vi.waitFor(async () => expect(await world.spent()).toBe(worth(content) + pins * 100), 10_000)
}

const paidSoFar = async (world: World): Promise<number> =>
  (await world.api.get('/api/payments/history', { query: { per_page: 1 } })).body.data.total

/** Waits for this many payments. Polls often, so that little more is paid before the caller acts. */
const untilPaid = (world: World, enough: number) =>
  vi.waitFor(async () => expect(await paidSoFar(world)).toBeGreaterThanOrEqual(enough), {
    timeout: 20_000,
    interval: 2,
  })

describe('killed at any point and run again, each row is paid once', () => {
  const roll = randomNumbers(20261121)

  test.each([1, 2])('round %i', async () => {
    const world = await batchWorld({ rateLimit: 'off' })
    const count = 300
    const content = fileOf(count)
    const file = world.file('a.csv', content)
    const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson']

    for (let kills = 0; kills < 5; kills++) {
      const before = await paidSoFar(world)
      const { child, finished } = world.start(argv)
      const enough = before + 1 + Math.floor(roll() * 60)
      if (roll() < 0.7) {
        await Promise.race([untilPaid(world, enough), finished])
      }
      child.kill('SIGKILL')
      await finished
    }
    const { code, stdout } = await world.run(...argv)

    expect(code).toBe(0)
    expect(rowsOf(stdout)).toHaveLength(count)
    await requirePaidOnce(world, content)
  })

  test('or resumed by the name of the batch', async () => {
    const world = await batchWorld({ rateLimit: 'off' })
    const content = fileOf(400)
    const file = world.file('a.csv', content)
    const { child, finished } = world.start(['payments', 'batch', file, '--yes', '--batch-id', 'nightly'])
    await untilPaid(world, 20)
    child.kill('SIGKILL')
    await finished

    const { code } = await world.run('payments', 'resume', '--batch', 'nightly', '--yes')
    const again = await world.run('payments', 'resume', '--batch', 'nightly', '--yes')

    expect([code, again.code]).toEqual([0, 0])
    expect(again.stderr).toContain('has no unfinished rows')
    await requirePaidOnce(world, content)
  })
})

test('run twice at once, each row is paid once and both runs know it', async () => {
  const world = await batchWorld({ rateLimit: 'off' })
  const content = fileOf(200)
  const file = world.file('a.csv', content)
  const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson']

  const runs = await Promise.all([world.run(...argv), world.run(...argv)])

  expect(runs.map(({ code }) => code)).toEqual([0, 0])
  const ids = runs.map(({ stdout }) =>
    rowsOf(stdout)
      .map((row) => row.payment_id)
      .sort(),
  )
  expect(ids[0]).toEqual(ids[1])
  await requirePaidOnce(world, content)
})

test('run twice at once with rows that are refused, both runs say so', async () => {
  const world = await batchWorld({ rateLimit: 'off' })
  const rows = fileOf(40).split('\n')
  const bad = Array.from({ length: 10 }, (_, at) => `87999999,1,Nobody to be paid ${at},${colones.id},`)
  const file = world.file('a.csv', [...rows, ...bad].join('\n'))
  const argv = ['payments', 'batch', file, '--yes', '--output', 'ndjson']

  const runs = await Promise.all([world.run(...argv), world.run(...argv)])
  const after = await world.run(...argv)

  expect([7, 10]).toContain(runs[0].code)
  expect(after.code).toBe(7)
  expect(rowsOf(after.stdout).filter(({ status }) => status === 'rejected')).toHaveLength(10)
  await requirePaidOnce(world, rows.join('\n'))
})

describe('interrupted', () => {
  test('it sends no more, says how to go on, and goes on', async () => {
    const world = await batchWorld({ rateLimit: 'off' })
    const count = 600
    const content = fileOf(count)
    const argv = ['payments', 'batch', world.file('a.csv', content), '--yes', '--output', 'ndjson']
    const { child, finished } = world.start(argv)
    await untilPaid(world, 10)
    child.kill('SIGINT')

    const { code, stdout, stderr } = await finished
    const paid = await paidSoFar(world)
    const open = rowsOf((await world.run('payments', 'intents', '--unsettled', '--output', 'ndjson')).stdout)

    expect(code).toBe(130)
    expect(stderr).toMatch(new RegExp(`Interrupted\\. \\d+ of ${count} rows sent, \\d+ not sent`))
    expect(stderr).toMatch(/payctl payments resume --batch b_[0-9a-f]{12}/)
    expect(rowsOf(stdout).filter(({ status }) => status === 'pending')).toHaveLength(paid)
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set(['prepared']))
    expect(open).toHaveLength(count - paid)
    expect((await world.run(...argv)).code).toBe(0)
    await requirePaidOnce(world, content)
  })

  test('while the service asks to wait, it ends at once', async () => {
    const world = await batchWorld({ rateLimit: 5 })
    const { child, said, finished } = world.start([
      'payments',
      'batch',
      world.file('a.csv', fileOf(30)),
      '--yes',
      '-o',
      'ndjson',
    ])
    await vi.waitFor(() => expect(rowsOf(said.stdout).length).toBeGreaterThanOrEqual(5), 10_000)
    child.kill('SIGINT')

    expect((await finished).code).toBe(130)
  })
})

test.each([300, 600, 900, 1500, 3000])(
  'with %i blocks of disk for the journal: whatever was sent is known when there is room again',
  async (blocks) => {
    const world = await batchWorld({ rateLimit: 'off' })
    const content = fileOf(250)
    const argv = ['payments', 'batch', world.file('a.csv', content), '--yes', '--output', 'ndjson']

    const { code, stderr } = await world.start(argv, { shell: `ulimit -f ${blocks}` }).finished
    const paid = await paidSoFar(world)
    const again = await world.run(...argv)

    expect([0, 2, 10]).toContain(code)
    if (code === 2) expect(stderr).toContain('journal')
    if (stderr.includes('Nothing was sent')) expect(paid).toBe(0)
    expect(again.code).toBe(0)
    await requirePaidOnce(world, content)
  },
)

test('equal rows are distinguished over kills as well', async () => {
  const world = await batchWorld({ rateLimit: 'off' })
  const row = `${payees[0]},1,Always the very same,${colones.id},`
  const content = [heading, ...Array.from({ length: 200 }, () => row)].join('\n')
  const argv = ['payments', 'batch', world.file('a.csv', content), '--yes']
  for (const enough of [10, 70]) {
    const { child, finished } = world.start(argv)
    await untilPaid(world, enough)
    child.kill('SIGKILL')
    await finished
  }

  expect((await world.run(...argv)).code).toBe(0)
  await requirePaidOnce(world, content)
})
