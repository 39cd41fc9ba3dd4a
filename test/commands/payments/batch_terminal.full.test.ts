import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { expect, onTestFinished, test, vi } from 'vitest'
import { payctlCommand } from '../../support/program.ts'
import { batchWorld, colones, fileOf } from './batch_file.ts'

type World = Awaited<ReturnType<typeof batchWorld>>

/** Runs `payments batch` in a terminal. */
function atTerminal({ service, stateDir }: World, ...argv: readonly string[]) {
  const terminal = spawn(...payctlCommand(['payments', 'batch', ...argv]), {
    cols: 120,
    rows: 40,
    env: {
      PATH: process.env.PATH ?? '',
      PAYCTL_BASE_URL: service.base_url,
      PAYCTL_TOKEN: service.token,
      PAYCTL_STATE_DIR: stateDir,
      NO_COLOR: '1',
    },
  })
  const said = { text: '' }
  terminal.onData((text) => {
    said.text += text
  })
  const code = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
  onTestFinished(() => terminal.kill('SIGKILL'))
  const sees = (what: string) => vi.waitFor(() => expect(said.text).toContain(what), 15_000)
  return {
    said,
    code,
    sees,
    type: (keys: string) => terminal.write(keys),
    close: () => (terminal as unknown as { destroy(): void }).destroy(),
  }
}

test.each([
  ['n\r', 2, 0],
  ['\r', 2, 0],
  ['\u0003', 130, 0],
  ['y\r', 0, 3],
])('the answer %j to the summary is exit %i with %i payments', async (keys, exit, payments) => {
  const world = await batchWorld()
  const terminal = atTerminal(world, world.file('a.csv', `${fileOf(2)}\n${fileOf(1).split('\n')[1]}`))

  await terminal.sees('(y/N)')
  expect(terminal.said.text).toContain('Send 3 payments, 3.01 CRC in spite of 1 warning?')
  terminal.type(keys)

  expect(await terminal.code).toBe(exit)
  expect(await world.payments()).toHaveLength(payments)
})

test('what is asked stands above the question, however quiet the run is', async () => {
  const world = await batchWorld()
  const terminal = atTerminal(world, world.file('a.csv', fileOf(2)), '--quiet')

  await terminal.sees('Send 2 payments, 2.01 CRC?')
  for (const fact of ['fees about', 'balance after', 'emulator on port', 'no real money, as'])
    expect(terminal.said.text).toContain(fact)
  terminal.type('n\r')

  expect(await terminal.code).toBe(2)
})

test('a terminal that goes away at the summary is neither a yes nor a bug', async () => {
  const world = await batchWorld()
  const terminal = atTerminal(world, world.file('a.csv', fileOf(2)))

  await terminal.sees('(y/N)')
  terminal.close()

  expect([2, 130]).toContain(await terminal.code)
  expect(await world.payments()).toEqual([])
})

test('shows how far it is while the result goes to a file, and goes on after Ctrl-C', async () => {
  const world = await batchWorld({ rateLimit: 100, clock: '2040-01-05T12:00:00Z' })
  const file = world.file('a.csv', fileOf(150))
  const result = join(world.folder, 'result.ndjson')
  const terminal = atTerminal(world, file, '--yes', '--output-file', result)

  await terminal.sees('100/150')
  await terminal.sees('rate limit')
  terminal.type('\u0003')

  expect(await terminal.code).toBe(130)
  expect(terminal.said.text).toContain('100 of 150 rows sent, 50 not sent')
  expect(existsSync(result)).toBe(true)
  expect(readFileSync(result, 'utf8').match(/"status":"pending"/g)).toHaveLength(100)
  expect(await world.payments()).toHaveLength(100)
})

test('a file with rows sent from another asks what it is', async () => {
  const world = await batchWorld()
  await world.batch(world.file('a.csv', fileOf(3)))
  const terminal = atTerminal(world, world.file('b.csv', fileOf(5)))

  await terminal.sees('(y/N)')
  expect(terminal.said.text.replace(/\s+/g, ' ')).toContain('3 of 5 rows repeat what another file has sent')
  terminal.type('y\r')

  expect(await terminal.code).toBe(0)
  expect(await world.payments()).toHaveLength(5)
})

test('reports only failures, with reasons, once all is done', async () => {
  const world = await batchWorld()
  const wrong = `87999999,7.25,,${colones.id},x\n87000001,4999999,,${colones.id},y`
  const terminal = atTerminal(world, world.file('a.csv', `${fileOf(30)}\n${wrong}`), '--yes')

  expect(await terminal.code).toBe(7)
  const text = stripVTControlCharacters(terminal.said.text)
  expect(text).toMatch(/^ {2}line 32 {2}8799-9999 {2,}7\.25 CRC {2}\S/m)
  expect(text).toMatch(/^ {2}line 33 .+ Insufficient balance\r?$/m)
  expect(text).toMatch(/^ {2}CR\d\d \.\.\. \d{4} had \S+ CRC at \S+ \S+ \(UTC/m)
  expect(text).toMatch(/Paid or on its way: \d+\.\d\d CRC, fees about/)
  expect(text).toContain('30 of 32 rows sent, 2 refused')
  expect(text).not.toContain('int_')
})

test('prints all rows at a terminal when a format is asked for', async () => {
  const world = await batchWorld()
  const terminal = atTerminal(world, world.file('a.csv', fileOf(3)), '--yes', '--output', 'ndjson')

  expect(await terminal.code).toBe(0)
  expect(terminal.said.text.match(/"status":"pending"/g)).toHaveLength(3)
})
