import { expect, test } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { batchWorld } from './batch_file.ts'
import { payctl } from './payctl.ts'
import { startService } from './service.ts'

const [colones] = demo.accounts

/** Payments to it fail. */
const failing = '87000006'

const back = /the money is back on CR\d\d \.\.\. \d{4}/

test('of a payment that failed in an emulator, every command says that the money is back', async () => {
  const world = await batchWorld()
  const sent = await world.run(
    'payments',
    'send',
    '--from',
    colones.id,
    '--to',
    failing,
    '--amount',
    '5',
    '--yes',
    '--wait',
  )
  const json = await world.run('payments', 'history', '--json')
  const [{ id }] = JSON.parse(json.stdout)
  const table = (...argv: readonly string[]) => world.run(...argv, '--output', 'table')

  const watched = await world.run('payments', 'watch', id)
  const listed = await table('payments', 'history')
  const found = await table('payments', 'find', failing)
  const shown = await table('payments', 'get', id)
  const receipt = await world.run('payments', 'receipt', id, '--lang', 'en')

  expect(sent).toMatchObject({ code: 8, stderr: expect.stringMatching(back) })
  expect(watched).toMatchObject({ code: 8, stderr: expect.stringMatching(back) })
  expect(listed.stdout.replace(/\s+/g, ' ')).toMatch(back)
  expect(found.stdout.replace(/\s+/g, ' ')).toMatch(back)
  expect(shown.stdout).toMatch(/Money +the money is back on CR/)
  expect(receipt.stdout).toContain('The money is back on the account of the payer.')
  expect(await world.spent()).toBe(0)
})

test('of a payment that failed at a service nothing is claimed: the balance is named', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  const sent = await cli.run(
    'payments',
    'send',
    '--from',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    '--to',
    '88881234',
    '--amount',
    '7',
    '--yes',
  )
  expect(sent.code).toBe(0)
  for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'failed' })
  const [{ id } = { id: '' }] = [...service.payments.values()]
  service.before = ({ method, path }) => {
    const payment = [...service.payments.values()].find((one) => path.endsWith(`/${one.id}`))
    return method === 'GET' && payment ? [200, payment] : undefined
  }

  const shown = await cli.run('payments', 'get', id, '--output', 'table')
  const watched = await cli.run('payments', 'watch', id)

  expect(shown.stdout).toMatch(/Money +whether money was taken is not known/)
  expect(watched).toMatchObject({ code: 8, stderr: expect.stringContaining('whether money was taken is not known') })
  for (const { stdout, stderr } of [shown, watched])
    expect(stdout + stderr).not.toMatch(/is back|nothing was taken|still held/)
})
