import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { surroundings } from '../support/payctl_process.ts'
import { payctlCommand } from '../support/program.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { keys, openPayctl, openProgram, type Terminal } from '../support/terminal.ts'

// interrupted_batch.test.ts tests signals in a large batch: at the question, right after the yes, while payctl prepares
// rows, and while it sends them.

const concurrency = 4

/** An emulator, and a journal under a daily limit. */
async function openMachine() {
  const world = await startWorld({ rateLimit: null, settle: 'manual' })
  const home = await temporaryDirectory()
  const env = { ...surroundings(world.emulator), PAYCTL_STATE_DIR: home, PAYCTL_CONFIG_DIR: join(home, 'config') }
  const run = (...argv: readonly string[]) => runPayctl(argv, { env })
  await run('limits', 'set', '--per-day', '900000', 'CRC')
  const file = join(home, 'rows.csv')
  return {
    file,
    run,
    open(argv: readonly string[], { readsInput = false }): Terminal {
      const all = ['payments', ...argv, '--concurrency', String(concurrency)]
      if (!readsInput) return openPayctl(all, { env })
      const line = 'exec "$0" "$@" < "$INPUT"'
      return openProgram('/bin/sh', ['-c', line, ...payctlCommand(all).flat()], { env: { ...env, INPUT: file } })
    },
    /** Number of payments at the service. */
    async paid(): Promise<number> {
      const query = 'SELECT count(*) FROM payments'
      return Number((await world.steer('control.sql', { body: { query } })).rows[0]?.[0])
    },
    fault: (body: object) => world.steer('control.faults.add', { body: { times: null, ...body } }),
    clearFaults: () => world.steer('control.faults.clear'),
    /** Resolves when a request has met a fault. */
    async met(): Promise<void> {
      await expect
        .poll(async () => (await world.steer('control.faults.list'))[0]?.matched, { timeout: 15_000 })
        .toBeGreaterThan(0)
    },
  }
}

type Machine = Awaited<ReturnType<typeof openMachine>>

const heading = 'to,name,amount,from,description\n'
const holders = ['87000001,Carlos Jiménez Mora', '87000002,Ana Lucía Vargas Solano']

/** Rows with the name of the holder. */
const rows = (count: number): string =>
  Array.from({ length: count }, (_, row) => `${holders[row % 2]},0.01,CRC,Row ${row} of the payroll\n`).join('')

interface Command {
  readonly prepare: (machine: Machine) => Promise<void> | void
  readonly argv: (machine: Machine) => readonly string[]
  /** True if the command reads the file from stdin. */
  readonly readsInput?: boolean
}

const batch: Command = {
  prepare: ({ file }) => writeFileSync(file, heading + rows(200)),
  argv: ({ file }) => ['batch', file, '--batch-id', 'nomina'],
}

/** A batch whose rows come from stdin. */
const batchOfInput: Command = {
  prepare: ({ file }) => void execFileSync('mkfifo', [file]),
  argv: () => ['batch', '-', '--yes'],
  readsInput: true,
}

/** A batch of which one row is in doubt, some are sent, and the others are not. */
const resume: Command = {
  async prepare(machine) {
    batch.prepare(machine)
    await machine.fault({ endpoint: 'payments.create', fault: 'lose_answer', times: 1 })
    await machine.fault({ endpoint: 'payments.create', status: 403, after: concurrency })
    await machine.run('payments', ...batch.argv(machine), '--yes', '--retries', '0')
    await machine.clearFaults()
  },
  argv: () => ['resume', '--batch', 'nomina'],
}

interface Phase {
  readonly command: Command
  readonly flags?: readonly string[]
  /** Endpoint whose answers take a minute. */
  readonly stalled?: string
  /** Resolves when the run is in the phase; default: when a stalled request has arrived. */
  readonly reach?: (terminal: Terminal, machine: Machine) => Promise<void>
  /** Number of requests that may be on their way in the phase. */
  readonly onTheirWay?: number
}

const question = (terminal: Terminal): Promise<void> => terminal.shows('(y/N)')
const yes = (terminal: Terminal): Promise<void> => terminal.answer('(y/N)', `y${keys.enter}`)

/** Slows the payments down, so that a busy machine has time to give payctl the signal before the next requests. */
async function slowYes(terminal: Terminal, { fault }: Machine): Promise<void> {
  await fault({ endpoint: 'payments.create', delay_ms: 500 })
  await yes(terminal)
}

async function sending(terminal: Terminal, machine: Machine): Promise<void> {
  await slowYes(terminal, machine)
  await terminal.shows(/[1-9]\d* sent/)
}

const phases: Readonly<Record<string, Phase>> = {
  'batch, while it reads the file': {
    command: batchOfInput,
    async reach(_, { file }) {
      const writer = spawn('sh', ['-c', 'exec 3>"$0"; cat >&3; echo open; exec sleep 60', file])
      onTestFinished(() => void writer.kill('SIGKILL'))
      writer.stdin.end(heading + rows(5_000)) // more than the buffer of a pipe
      await once(writer.stdout, 'data')
    },
  },
  'batch, while it looks up the user': { command: batch, stalled: 'user.get' },
  'batch, while it looks up the accounts': { command: batch, stalled: 'accounts.list' },
  'batch, while it looks up the holders': { command: batch, stalled: 'phone.information' },
  'batch, while it asks for the fees': { command: batch, stalled: 'payments.validate' },
  'batch, at its question': { command: batch, reach: question },
  'batch, right after the yes': { command: batch, reach: slowYes, onTheirWay: concurrency },
  'batch, while it sends': {
    command: batch,
    reach: sending,
    onTheirWay: concurrency,
  },
  'batch, while it waits': {
    command: batch,
    flags: ['--wait'],
    async reach(terminal, { paid }) {
      await yes(terminal)
      await expect.poll(paid, { timeout: 15_000 }).toBe(200)
    },
  },
  'resume, while it looks up the user': { command: resume, stalled: 'user.get' },
  'resume, while it reads the history': { command: resume, stalled: 'payments.history' },
  'resume, at its question': { command: resume, reach: question },
  'resume, right after the yes': { command: resume, reach: slowYes, onTheirWay: concurrency },
  'resume, while it sends': {
    command: resume,
    reach: sending,
    onTheirWay: concurrency,
  },
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'closed terminal'] as const)('%s', (end) => {
  test.each(Object.entries(phases))('%s: no payment is sent after it', async (_, phase) => {
    const { command, flags = [], stalled, reach, onTheirWay = 0 } = phase
    const machine = await openMachine()
    await command.prepare(machine)
    if (stalled) await machine.fault({ endpoint: stalled, delay_ms: 60_000 })
    const terminal = machine.open([...command.argv(machine), ...flags], command)
    await (reach ? reach(terminal, machine) : machine.met())

    if (end === 'closed terminal') terminal.hangUp()
    else terminal.kill(end)
    const paid = await machine.paid()

    expect(end === 'closed terminal' ? [2, 129, 130] : [130]).toContain(await terminal.ended)
    expect(await machine.paid()).toBeLessThanOrEqual(paid + onTheirWay)
    expect(await known(machine)).toBe(await machine.paid())
  })
})

/** Number of payments that the service has made or may have made, according to the journal. */
async function known({ run }: Machine): Promise<number> {
  const { stdout } = await run('payments', 'outbox', '--all', '--json')
  const intents: readonly { readonly status: string }[] = JSON.parse(stdout)
  return intents.filter(({ status }) => status !== 'prepared' && status !== 'rejected').length
}
