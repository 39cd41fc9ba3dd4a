import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { Random } from '../simulation/random.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { startProcess } from '../support/running.ts'
import { openPayctl } from '../support/terminal.ts'
import { FaultyProxy, type Trouble, troubles, type Weather } from './faulty_proxy.ts'

const count = 3_000

/** Minor units of a row. */
const amountOf = (row: number): number => 1 + (row % 97)

const total = Array.from({ length: count }, (_, row) => amountOf(row)).reduce((sum, amount) => sum + amount, 0)

const descriptions = Array.from({ length: count }, (_, row) => `Row ${row} of three thousand`)

type End = 'SIGKILL' | 'SIGINT' | 'SIGTERM' | 'closed terminal'

interface Hour {
  readonly command: 'batch' | 'resume'
  readonly weather: Weather
  /** Way to end the run after three hundred requests to pay, unless a fault has ended it before. */
  readonly end: End
}

const some = (...troubles: readonly Trouble[]): Weather => ({ troubles, payments: 0.02, reads: 0.02 })
const all = (...troubles: readonly Trouble[]): Weather => ({ troubles, payments: 1, reads: 1 })

const hours: readonly Hour[] = [
  { command: 'batch', weather: some('502', 'reset'), end: 'SIGKILL' },
  { command: 'batch', weather: some('301'), end: 'closed terminal' },
  { command: 'resume', weather: some('captive portal'), end: 'SIGINT' },
  { command: 'batch', weather: some('hang', 'late'), end: 'SIGKILL' },
  { command: 'batch', weather: some('cut', '502'), end: 'SIGTERM' },
  { command: 'resume', weather: some('late', 'captive portal'), end: 'SIGKILL' },
  {
    command: 'batch',
    weather: some(...troubles),
    end: 'closed terminal',
  },
]

const calm: Weather = { troubles: [], payments: 0, reads: 0 }

/** Faults that begin while a run is sending payments, and then affect every request. */
const storms = [all('captive portal'), all('301'), all('502'), all('hang')]

/** Commands of one batch, and the payments of its service. */
async function openBatch() {
  const random = new Random('three thousand rows')
  const world = await startWorld({ rateLimit: null, settle: 0 })
  const { url, proxy } = await FaultyProxy.start(world.emulator.baseUrl, random)
  const home = await temporaryDirectory()
  const env = {
    PAYCTL_BASE_URL: url,
    PAYCTL_TOKEN: world.emulator.token,
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    NO_COLOR: '1',
  }
  await runPayctl(['limits', 'set', '--per-day', '900000', 'CRC'], { env })
  const [file, result] = [join(home, 'rows.csv'), join(home, 'result.csv')]
  const rows = descriptions.map((text, row) => `87000001,${amountOf(row) / 100},${world.colones},${text}`)
  writeFileSync(file, ['to,amount,from,description', ...rows, ''].join('\n'))
  const commands = { batch: ['batch', file, '--batch-id', 'roll'], resume: ['resume', '--batch', 'roll'] }
  const flags = ['--yes', '--timeout', '500ms', '--retries', '1', '--concurrency', '8', '--output-file', result]
  const argv = (command: keyof typeof commands) => ['payments', ...commands[command], ...flags]
  return {
    world,
    proxy,
    result,
    run: (command: keyof typeof commands) => startProcess(argv(command), { env, stdin: 'ignore' }),
    atTerminal: (command: keyof typeof commands) => openPayctl(argv(command), { env }),
    sql: async (query: string) => (await world.steer('control.sql', { body: { query } })).rows[0],
    journal(query: string): unknown {
      const database = new Sqlite(join(home, 'state', 'journal.db'), { readonly: true })
      const row = database.prepare(query).raw().get()
      database.close()
      return row
    },
  }
}

type Batch = Awaited<ReturnType<typeof openBatch>>

/** Begins a run, and ends it after three hundred requests to pay, unless the fault has ended it before. */
async function pass({ run, atTerminal, proxy }: Batch, { command, weather, end }: Hour): Promise<void> {
  proxy.weather = weather
  const enough = proxy.afterPayments(300)
  if (end === 'closed terminal') {
    const terminal = atTerminal(command)
    await Promise.race([enough, terminal.ended])
    terminal.hangUp()
    await terminal.ended
    return
  }
  const running = run(command)
  await Promise.race([enough, running])
  running.kill(end)
  await running
}

test('three thousand rows through kills, a closed terminal, gateways and hangs are paid once each', async () => {
  const batch = await openBatch()
  const { world, proxy, run, sql, journal, result } = batch
  const balance = "SELECT available + held FROM accounts WHERE currency = 'CRC'"
  const [before] = (await sql(balance)) ?? []

  for (const hour of hours) await pass(batch, hour)
  for (const storm of storms) {
    proxy.weather = calm
    void proxy.afterPayments(100).then(() => {
      proxy.weather = storm
    })
    const { exitCode, stderr } = await run('batch')
    expect(exitCode).toBe(10)
    expect(stderr).toContain('The service gave no clear answer for 10 consecutive rows')
  }
  proxy.weather = calm
  const resumed = await run('resume')
  const last = await run('batch')

  expect(resumed).toMatchObject({ exitCode: 0 })
  expect(last).toMatchObject({ exitCode: 0 })
  const paid = 'count(*), count(DISTINCT description), sum(amount)'
  expect(await sql(`SELECT ${paid} FROM payments WHERE status = 'completed'`)).toEqual([count, count, total])
  expect(await sql('SELECT count(*) FROM payments')).toEqual([count])
  expect(await sql(balance)).toEqual([Number(before) - total])
  expect(world.emulator.control.checkLedger()).toMatchObject({ balanced: true })
  const known = "count(*), count(DISTINCT payment_id), sum(body ->> 'amount')"
  expect(journal(`SELECT ${known} FROM intents WHERE status = 'settled'`)).toEqual([count, count, total])
  expect(journal('SELECT count(*) FROM intents')).toEqual([count])
  const reported: readonly Reported[] = parse(readFileSync(result), { columns: true })
  expect(reported.map(({ line }) => Number(line))).toEqual(descriptions.map((_, row) => row + 2))
  expect(new Set(reported.map(({ payment_id }) => payment_id)).size).toBe(count)
  expect(proxy.met).toEqual(new Set(troubles))
}, 300_000)

interface Reported {
  readonly line: string
  readonly payment_id: string
}
