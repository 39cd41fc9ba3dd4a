import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { createClient } from '../../src/client/index.ts'
import { crcAccount, machine } from './machine.ts'

const killAtStep = fileURLToPath(new URL('kill_at_step.cjs', import.meta.url))

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ settle: 'manual', rateLimit: null })
})
afterAll(() => emulator.close())

/** A machine that can kill payctl at a step. */
async function fragileMachine() {
  const { env, start } = await machine(emulator)
  return {
    run: (args: readonly string[]) => start(args),
    intents: async (): Promise<readonly { id: string; status: string }[]> =>
      JSON.parse(String((await start(['payments', 'intents', '--json'])).stdout)),
    killedAt: (step: number, args: readonly string[]) =>
      start(args, {
        nodeArgs: ['--require', killAtStep],
        env: { ...env, KILL_AT_STEP: String(step) },
      }),
  }
}

const send = (minor: number) => [
  ...['payments', 'send', '--yes', '--json', '--from', crcAccount(emulator), '--to', '8700-0001'],
  ...['--amount-minor', String(minor)],
]

/** Payments of this amount at the service: each test pays a different amount. */
async function paymentsOf(minor: number) {
  const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, strict: true })
  const found = []
  for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
    if (payment.amount.value === minor) found.push(payment)
  }
  await client.close()
  return found
}

describe('payments send, killed with SIGKILL', () => {
  it('at its steps, leaves a payment that resume makes or finds once, or no trace and no payment', async () => {
    const ends = { noTrace: 0, neverLeft: 0, inDoubt: 0, settled: 0 }
    const endAt = async (step: number): Promise<keyof typeof ends | 'finished'> => {
      const minor = 100 + step
      const { run, killedAt, intents } = await fragileMachine()
      const { signal, exitCode } = await killedAt(step, send(minor))
      if (signal !== 'SIGKILL') {
        expect({ step, exitCode }).toEqual({ step, exitCode: 0 })
        return 'finished'
      }
      const [intent, ...others] = await intents()
      expect(others).toEqual([])
      if (!intent) {
        expect(await paymentsOf(minor)).toEqual([])
        return 'noTrace'
      }
      if (intent.status === 'prepared') expect(await paymentsOf(minor)).toEqual([])
      const resumed = await run(['payments', 'resume', intent.id, '--yes', '--json'])
      expect({ step, code: resumed.exitCode, stderr: resumed.failed && resumed.stderr }).toMatchObject({
        step,
        code: 0,
      })
      const paid = await paymentsOf(minor)
      expect(paid.map(({ id }) => id)).toEqual([JSON.parse(String(resumed.stdout)).id])
      expect(await intents()).toMatchObject([{ id: intent.id, status: 'settled', payment_id: paid[0]?.id }])
      if (intent.status === 'prepared') return 'neverLeft'
      return intent.status === 'settled' ? 'settled' : 'inDoubt'
    }
    const stride = 2
    let lastWithoutTrace = 0
    // Runs have different numbers of steps, because an answer may arrive in more or fewer chunks.
    for (let step = 1; ; step += stride) {
      const end = await endAt(step)
      if (end === 'finished') break
      ends[end] += 1
      if (end === 'noTrace') lastWithoutTrace = step
    }
    // Few steps lie between writing the intent and sending: a stride can miss them.
    for (let step = lastWithoutTrace + 1; ends.neverLeft === 0 && step < lastWithoutTrace + stride; step += 1) {
      const end = await endAt(step)
      if (end !== 'finished') ends[end] += 1
    }
    for (const [end, count] of Object.entries(ends)) expect([end, count > 0]).toEqual([end, true])
    expect(emulator.control.checkLedger()).toMatchObject({ balanced: true })
  }, 120_000)

  it('while it resumes, leaves it to be resumed again', async () => {
    const { run, killedAt, intents } = await fragileMachine()
    const cut = await firstInDoubt(killedAt, intents, 5000)
    let step = 1
    for (; ; step += 3) {
      const { signal } = await killedAt(step, ['payments', 'resume', cut, '--json'])
      if (signal !== 'SIGKILL') break
      expect((await paymentsOf(5000)).length).toBeLessThanOrEqual(1)
    }
    expect(step).toBeGreaterThan(10)
    const { stdout } = await run(['payments', 'resume', cut, '--json'])
    expect((await paymentsOf(5000)).map(({ id }) => id)).toEqual([JSON.parse(String(stdout)).id])
  }, 120_000)
})

type Machine = Awaited<ReturnType<typeof fragileMachine>>

/**
 * Kills runs of `payments send` until it has killed one whose request was sent and not yet answered. Returns its
 * intent.
 */
async function firstInDoubt(killedAt: Machine['killedAt'], intents: Machine['intents'], minor: number) {
  for (let step = 1; ; step += 1) {
    await killedAt(step, send(minor))
    const sent = (await intents()).find(({ status }) => status === 'sent')
    if (sent) return sent.id
  }
}
