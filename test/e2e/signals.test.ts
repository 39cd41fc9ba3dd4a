import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { payees } from '../commands/webhooks/rig.ts'
import { everyNth } from '../support/full.ts'
import { type Workplace, workplace } from './command_workplace.ts'

interface Running {
  readonly argv: (workplace: Workplace) => readonly string[] | Promise<readonly string[]>
  /** Pattern of the output of a running command. */
  readonly cue: RegExp
  /** Resolves when the test should stop the run. */
  readonly ready?: (workplace: Workplace) => Promise<void>
  readonly code: number
  readonly terminal?: boolean
}

const file = (at: Workplace): string => {
  const rows = [1, 2, 3].map((amount) => `${payees.completed},${amount},,${at.account}`)
  return at.file('b.csv', ['to,amount,description,from', ...rows, ''].join('\n'))
}

const paid = (count: number) => async (at: Workplace) => {
  while ((await at.client.call('payments.history')).data.length < count);
}

const order = ({ account }: Workplace) => ['--from', account, '--to', payees.completed, '--amount', '7']

/** Every command that runs until it is stopped, or that waits for an event that may not come. */
const running: Readonly<Record<string, Running>> = {
  emulate: { argv: () => ['emulate', '--port', '0', '--json'], cue: /"ready"/, code: 0 },
  'emulate with a file': { argv: (at) => ['emulate', '--data', `${at.home}/w.db`], cue: /Ctrl-C stops/, code: 0 },
  'webhooks tail': { argv: () => ['webhooks', 'tail'], cue: /Ctrl-C stops/, code: 0 },
  'webhooks tail --limit': { argv: () => ['webhooks', 'tail', '--limit', '9'], cue: /Ctrl-C stops/, code: 130 },
  'history --follow': { argv: () => ['payments', 'history', '--follow'], cue: /completed/, code: 130 },
  watch: { argv: async (at) => ['payments', 'watch', await at.pay()], cue: /pending/, code: 130 },
  'send --wait': { argv: (at) => ['payments', 'send', '--yes', '--wait', ...order(at)], cue: /is pending/, code: 130 },
  'batch --wait': {
    argv: (at) => ['payments', 'batch', file(at), '--yes', '--wait'],
    cue: /Batch/,
    ready: paid(4),
    code: 130,
  },
  login: {
    argv: (at) => ['login', '--no-browser', '--client-id', 'payctl', '--client-secret-file', at.file('secret', 'x')],
    cue: /authorize\?/,
    code: 130,
    terminal: true,
  },
  'send, asking': { argv: (at) => ['payments', 'send', ...order(at)], cue: /\?/, code: 130, terminal: true },
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

describe.each(Object.entries(running))('%s', (name, { argv, cue, ready, code, terminal }) => {
  it.each(everyNth(signals, signals.length, Object.keys(running).indexOf(name)))(
    'ends on %s and leaves nothing',
    async (signal) => {
      const at = await workplace()
      const start = terminal ? at.inTerminal : at.piped
      const ended = await start(await argv(at), {
        meanwhile: {
          cue,
          async act(kill) {
            await ready?.(at)
            kill(signal)
          },
        },
      })
      expect(ended).toMatchObject({ code })
      expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/^\s+at .+:\d+|bug/m)
      expect((await at.client.call('webhooks.list')).data).toEqual([])
      const left = readdirSync(at.home, { recursive: true }).map(String)
      expect(left.filter((name) => /\.tmp|emulators\/|tail-|lock\//.test(name))).toEqual([])
    },
  )
})
