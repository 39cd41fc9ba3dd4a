import { expect, test } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { batchWorld, payees } from './batch_file.ts'
import { payctl } from './payctl.ts'
import { startService } from './service.ts'

const [colones] = demo.accounts

/** Phone to which payments fail. */
const failing = '87000006'

const back = /the money is back in CR\d\d \.\.\. \d{4}/

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
  expect(shown.stdout).toMatch(/Money +the money is back in CR/)
  expect(receipt.stdout).toContain('The money is back in the account of the payer.')
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
  expect(JSON.parse((await cli.run('payments', 'outbox', '--json')).stdout)[0].payment_status).toBe('failed')
  const watched = await cli.run('payments', 'watch', id)

  service.before = () => undefined
  for (const argv of [[], ['--all']]) {
    const listed = await cli.run('payments', 'history', ...argv, '--output', 'table')
    expect(listed.stderr).toContain(
      'It is not known whether money was taken for the payment that failed. See the balance: payctl accounts list\n',
    )
    expect(listed.stdout + listed.stderr).not.toMatch(/is back|nothing was taken|still held/)
  }

  expect(shown.stdout).toMatch(/Money +it is not known whether money was taken/)
  expect(watched).toMatchObject({ code: 8, stderr: expect.stringContaining('it is not known whether money was taken') })
  for (const { stdout, stderr } of [shown, watched])
    expect(stdout + stderr).not.toMatch(/is back|nothing was taken|still held/)
})

test('of a payment that was refused or not sent, the error says that nothing was taken', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  const send = (...argv: readonly string[]) =>
    cli.run('payments', 'send', '--from', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--to', '88881234', ...argv)
  const answers = (status: number, message: string) => {
    service.before = ({ path }) => (path === '/api/payments' ? [status, message] : undefined)
  }

  answers(422, 'The account is closed.')
  const refused = await send('--amount', '7', '--yes')
  const json = await send('--amount', '7', '--yes', '--json')
  answers(401, 'Unauthenticated.')
  const kept = await send('--amount', '7', '--yes')
  answers(500, 'Payment processing failed')
  const doubtful = await send('--amount', '7', '--yes', '--retries', '0')

  expect(refused).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('The account is closed. Nothing was taken.\n'),
  })
  expect(JSON.parse(json.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
    code: 'rejected',
    message: 'The account is closed. Nothing was taken.',
    status: 422,
  })
  expect(kept).toMatchObject({ code: 4, stderr: expect.stringContaining('Unauthenticated. Nothing was taken.\n') })
  expect(doubtful.code).toBe(10)
  expect(doubtful.stderr).not.toContain('nothing was taken')
  expect(service.payments.size).toBe(0)
})

test('whose end was only read is known to the outbox', async () => {
  const outbox = async (read: readonly string[]) => {
    const world = await batchWorld()
    await world.run('payments', 'send', '--from', colones.id, '--to', payees[0] ?? '', '--amount', '7', '--yes')
    const status = async () => JSON.parse((await world.run('payments', 'outbox', '--json')).stdout)[0].payment_status
    const before = await status()
    await world.run('payments', ...read)
    return [before, await status()]
  }
  for (const read of [['get', 'last'], ['watch', 'last'], ['history'], ['history', '--all']]) {
    expect({ read, statuses: await outbox(read) }).toEqual({ read, statuses: ['pending', 'completed'] })
  }
})
