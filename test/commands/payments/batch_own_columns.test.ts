import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { batchWorld, colones, payees, rowsOf } from './batch_file.ts'
import { setUp } from './batch_service.ts'
import { account, isPayment, loseAnswers, phone as payee, recover } from './service.ts'

const [, phone = ''] = payees

/** Phone to which payments fail. */
const failing = '87000006'

describe('columns of the caller’s own', () => {
  test('stand in the result as they were', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `to,amount,description,Status,Obra\n${phone},1,,x,"Puente, sur"\n`)
    const result = join(world.folder, 'result.csv')

    await world.batch(file, '--from', colones.id, '--output-file', result)

    const [names, row] = readFileSync(result, 'utf8').trim().split('\n')
    expect(names).toBe('line,reference,to,amount,currency,status,payment_id,intent,error,Status (file),Obra')
    expect(row).toMatch(/,x,"Puente, sur"$/)
  })

  test('can be chosen with --columns, for stdout and for the result; a wrong name is refused before anything is sent', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `to,amount,description,Obra\n${phone},1,,"Puente, sur"\n`)
    const result = join(world.folder, 'result.csv')
    const choosing = [file, '--from', colones.id, '--columns'] as const

    const wrong = await world.batch(...choosing, 'line,Jefe')
    const json = await world.batch(...choosing, 'line', '--output-file', join(world.folder, 'result.json'))
    const rehearsed = await world.batch(...choosing, 'line', '--dry-run')
    const sent = await world.batch(...choosing, 'Obra,amount.formatted,line', '-o', 'csv')
    await world.batch(...choosing, 'status,Obra', '--output-file', result)

    expect([wrong, json, rehearsed].map(({ code }) => code)).toEqual([2, 2, 2])
    expect(wrong.stderr).toContain("Column 'Jefe' does not exist. Nothing was sent.")
    const help = JSON.parse((await world.batch(...choosing, 'help', '--json')).stdout)
    expect(help).toContainEqual({ column: 'currency', meaning: expect.stringMatching(/\S/) })
    expect(sent.stdout).toBe('Obra,amount.formatted,line\n"Puente, sur",1.00 CRC,2\n')
    expect(sent.stderr).not.toContain('before')
    expect(readFileSync(result, 'utf8')).toMatch(/^status,Obra\n\w+,"Puente, sur"\n$/)
  })

  test('stand in that of a retry too, whether the row was refused or has failed, and with its intent', async () => {
    const world = await batchWorld()
    const content = `to,amount,description,Obra,Jefe\n${phone},1,,a,b\n87999999,2,,"c, d",\n${failing},3,,e,=f\n`
    await world.batch(world.file('a.csv', content), '--from', colones.id, '--batch-id', 'run', '--wait')
    const result = join(world.folder, 'result.csv')

    const first = await world.run('payments', 'batch', 'retry', 'run', '--failed', '--yes', '--output-file', result)
    const second = await world.run('payments', 'batch', 'retry', 'run', '--failed', '--yes', '-o', 'ndjson', '--wait')
    const intents = await world.run('payments', 'intents', '--batch', 'run', '--status', 'rejected', '--json')

    expect(first.code).toBe(7)
    const [names, ...rows] = readFileSync(result, 'utf8').trim().split('\n')
    expect(names).toMatch(/,error,Obra,Jefe$/)
    expect(rows).toHaveLength(2)
    expect(rows.find((row) => row.startsWith('3,'))).toMatch(/,"c, d",$/)
    expect(rows.find((row) => row.startsWith('4,'))).toMatch(/,e,'=f$/)
    expect(rowsOf(second.stdout)).toContainEqual(
      expect.objectContaining({ line: 4, columns: { Obra: 'e', Jefe: '=f' } }),
    )
    expect(JSON.parse(intents.stdout)).toMatchObject([{ line: 3, columns: { Obra: 'c, d', Jefe: '' } }])
  })

  test('stand in that of a resumed batch, also of rows that never left', async () => {
    const { service, cli } = await setUp(0)
    const rows = Array.from({ length: 6 }, (_, at) => `${payee},${at + 1},,${account},obra ${at}`)
    const file = cli.file('own.csv', `to,amount,description,from,Obra\n${rows.join('\n')}\n`)
    loseAnswers(service)
    await cli.run('payments', 'batch', file, '--yes', '--batch-id', 'run', '--retries', '0')
    recover(service)

    const { code, stdout } = await cli.run('payments', 'resume', '--batch', 'run', '--yes', '-o', 'csv')

    expect(code).toBe(0)
    const [names, ...told] = stdout.trim().split('\n')
    expect(names).toMatch(/,error,Obra$/)
    expect(told.map((row) => row.split(',').at(-1)).sort()).toEqual(rows.map((_, at) => `obra ${at}`))
  })

  test('of another list under the same name do not stay with its rows', async () => {
    const { service, cli } = await setUp(0)
    service.before = (request) => (isPayment(request) ? [422, 'No'] : undefined)
    const pay = (content: string) =>
      cli.run('payments', 'batch', cli.file('a.csv', content), '--yes', '--batch-id', 'run', '-o', 'ndjson')
    await pay(`to,amount,description,from,Obra\n${payee},1,,${account},puente\n`)

    const again = await pay(`to,amount,description,from\n${payee},1,,${account}\n`)
    const intents = await cli.run('payments', 'intents', '--batch', 'run', '--json')

    expect(rowsOf(again.stdout)).toMatchObject([{ status: 'rejected' }])
    expect(rowsOf(again.stdout)[0]).not.toHaveProperty('columns')
    expect(JSON.parse(intents.stdout)).toMatchObject([{ columns: null }])
  })
})

test('a row that was sent from another file is reported with the columns of this file', async () => {
  const world = await batchWorld()
  const pay = (name: string, content: string) =>
    world.batch(world.file(name, content), '--from', colones.id, '--skip-sent', '--wait', '-o', 'ndjson')
  await pay('a.csv', `to,amount,description,Obra\n${phone},1,,puente\n`)

  const { stdout } = await pay('b.csv', `to,amount,description,Proyecto\n${phone},1,,sur\n`)

  expect(rowsOf(stdout)).toMatchObject([{ status: 'completed', columns: { Proyecto: 'sur' } }])
  expect(rowsOf(stdout)[0]).not.toHaveProperty('columns.Obra')
})

test('a retry whose results can’t be written sends nothing', async () => {
  const { service, cli, argv } = await setUp(2)
  service.before = (request) => (isPayment(request) ? [422, 'No'] : undefined)
  await cli.run(...argv, '--batch-id', 'run')
  const before = service.received.filter(isPayment).length
  const nowhere = join(cli.folder, 'nowhere', 'result.csv')

  const { code, stderr } = await cli.run(
    'payments',
    'batch',
    'retry',
    'run',
    '--failed',
    '--yes',
    '--output-file',
    nowhere,
  )

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Nothing was sent') })
  expect(service.received.filter(isPayment)).toHaveLength(before)
  expect(existsSync(nowhere)).toBe(false)
})
