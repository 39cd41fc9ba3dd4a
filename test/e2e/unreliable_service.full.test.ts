import { afterAll, expect, test } from 'vitest'
import { account, iban, phone } from '../commands/payments/service.ts'
import { Random } from '../simulation/random.ts'
import { type Death, LivedInMachine } from './machine.ts'
import { type Command, idOf, isInDoubt, Judge, type Order } from './unreliable/judge.ts'
import { calm, UnreliableService } from './unreliable/service.ts'

// Rounds of send, batch and resume, with kills, at a service that forgets keys and logins, delays requests and answers
// late.
//
// Other rounds by hand, once payctl is built: PAYCTL_TESTS_ROUNDS=1-200 npx vitest run --config
// test/vitest.full.config.ts test/e2e/unreliable_service.full.test.ts

const { PAYCTL_TESTS_ROUNDS } = process.env

/** Seeds, inclusive. */
const [first = 1, last = first] = (PAYCTL_TESTS_ROUNDS ?? '1-6').split('-').map(Number)

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** Milliseconds after which no abandoned request arrives. */
const quiet = 11 * minute

const counts = new Map<string, number>()

const count = (kind: string, times = 1): void => void counts.set(kind, (counts.get(kind) ?? 0) + times)

test.each(Array.from({ length: last - first + 1 }, (_, at) => first + at))(
  'round %i: each payment is made at most once, and each claim is true',
  async (seed) => {
    const round = await Round.begin(seed)
    await round.play()
    expect(round.wrong, `Run it again with PAYCTL_TESTS_ROUNDS=${seed}.\n${round.events.join('\n')}`).toEqual([])
  },
  300_000,
)

afterAll(() => {
  if (PAYCTL_TESTS_ROUNDS === undefined) return
  for (const [kind, times] of [...counts].toSorted()) process.stdout.write(`${kind}: ${times}\n`)
})

/** Processes of payctl on one machine pay the orders of two users. */
class Round {
  readonly events: string[]
  readonly #random: Random
  readonly #keyLife: number
  readonly #service: UnreliableService
  readonly #machine: LivedInMachine
  readonly #judge: Judge
  /** By amount. */
  readonly #orders = new Map<number, Order>()
  /** Commands that begin payments, by user. */
  readonly #commands: ReadonlyMap<string, readonly Command[]>
  #user = ''
  #logins = 0

  private constructor(random: Random, keyLife: number, service: UnreliableService, events: string[]) {
    this.events = events
    this.#random = random
    this.#keyLife = keyLife
    this.#service = service
    this.#machine = new LivedInMachine(service.url)
    this.#judge = new Judge(this.#orders, service, this.#machine)
    this.#commands = new Map([
      ['alice', this.#commandsOf('alice', 2)],
      ['bob', this.#commandsOf('bob', 1)],
    ])
  }

  static async begin(seed: number): Promise<Round> {
    const random = new Random('round', seed)
    const keyLife = random.pick([24 * hour, 24 * hour, hour])
    const character = {
      seed,
      keyLife,
      memory: random.pick(['aged', 'aged', 'until restart'] as const),
      checksBalanceFirst: random.chance(0.5),
      pageSize: random.pick([1, 2, 3, 1000]),
    }
    const events = [JSON.stringify(character)]
    const service = await UnreliableService.start(character, (text) => void events.push(`  service: ${text}`))
    return new Round(random, keyLife, service, events)
  }

  get wrong(): readonly string[] {
    return this.#judge.wrong
  }

  async play(): Promise<void> {
    const steps = this.#random.integer(4, 6)
    for (let step = 1; step <= steps && this.wrong.length === 0; step += 1) await this.#step()
    if (this.wrong.length === 0) await this.#end()
    count('rounds')
    count('payments', this.#service.payments.length)
    for (const [kind, times] of this.#service.faults) count(kind, times)
  }

  #commandsOf(user: string, sends: number): readonly Command[] {
    const orderTo = (to: string): Order => {
      const order = { user, to, amount: 1000 + this.#orders.size }
      this.#orders.set(order.amount, order)
      return order
    }
    const payments = [iban, phone].slice(0, sends).map((to): Command => {
      const order = orderTo(to)
      const argv = ['send', '--from', account, '--to', to, '--amount-minor', String(order.amount), '--yes', '--json']
      return { argv: [...argv, '--idempotency-key', `${user}-${to}`], user, result: 'payment', orders: [order] }
    })
    const rows = Array.from({ length: this.#random.integer(2, 5) }, () => orderTo(phone))
    const files = [rows.slice(0, -1), rows].map((orders): Command => {
      const lines = orders.map(({ to, amount }) => `${to},${amount / 100},,${account}`)
      const name = `${user}-${orders.length}.csv`
      const file = this.#machine.file(name, ['to,amount,description,from', ...lines].join('\n'))
      return { argv: ['batch', file, '--yes', '--output', 'ndjson'], user, result: 'rows', orders }
    })
    return [...payments, ...files]
  }

  async #step(): Promise<void> {
    const random = this.#random
    const weather = { payments: random.pick([0.4, 0.8, 1]), reads: random.pick([0, 0.05, 0.2]) }
    this.#service.weather = random.chance(0.15) ? calm : weather
    if (this.#logins === 0 || random.chance(0.4)) this.#logIn(random.pick(['alice', 'alice', 'bob']))
    const commands = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => this.#command())
    const isExchanged = random.chance(0.25)
    if (isExchanged) this.#exchangeLogin(commands.length)
    await this.#run(commands.map((command) => ({ command, death: this.#death(command) })))
    this.#service.onPayment = () => {}
    this.#judge.judgeJournal()
    this.#pass()
  }

  /** Logs in as another user, or again as the same user, while processes run. */
  #exchangeLogin(processes: number): void {
    const service = this.#service
    const next = this.#random.pick(['alice', 'bob'])
    // Waits until all processes have requested their user; otherwise a process could begin as the other user.
    service.weather = { ...service.weather, reads: 0 }
    service.identified = 0
    service.onPayment = () => {
      if (service.identified < processes) return
      service.onPayment = () => {}
      service.forgetLogins()
      this.#logIn(next)
    }
  }

  /** Logs in. Some logins lack the scope to read their user. */
  #logIn(user: string, isNarrow = this.#random.chance(0.2)): void {
    this.#user = user
    this.#logins += 1
    const login = { token: `${user}-${this.#logins}`, user, isNarrow }
    this.#service.logIn(login)
    this.#machine.saveLogin(login)
    this.events.push(`login: ${JSON.stringify(login)}`)
  }

  #command(): Command {
    const random = this.#random
    const user = this.#user
    const begun = this.#machine.journal().filter((row) => row.user === idOf(user) || row.user.includes(`-of-${user}-`))
    const inDoubt = begun.filter(({ status }) => isInDoubt(status))
    const isNew = begun.length === 0 || random.chance(inDoubt.length > 0 ? 0.3 : 0.7)
    if (isNew) return this.#flagged(random.pick(this.#commands.get(user) ?? []))
    const { id, amount, batch } = random.pick(inDoubt.length > 0 ? inDoubt : begun)
    const orders = [...this.#orders.values()].filter((order) => order.amount === amount)
    const kinds: readonly Command[] = [
      { argv: ['resume', '--json'], user, result: 'payments', orders: [] },
      { argv: ['resume', id, '--yes', '--json'], user, result: 'payment', orders },
      { argv: ['resume', '--batch', batch ?? '', '--yes', '--output', 'ndjson'], user, result: 'rows', orders: [] },
    ]
    return this.#flagged(random.pick(batch === null ? kinds.slice(0, 2) : kinds))
  }

  #flagged({ argv, ...command }: Command): Command {
    const random = this.#random
    const flags = ['--timeout', `${random.pick([250, 400, 800])}ms`, '--retries', String(random.pick([0, 0, 1, 2]))]
    if (argv[0] === 'batch' && random.chance(0.5)) flags.push('--skip-sent')
    if (command.result === 'rows') flags.push('--concurrency', String(random.pick([1, 2, 4])))
    return { ...command, argv: [...argv, ...flags, ...this.#lifeOfKeys()] }
  }

  #lifeOfKeys = (): readonly string[] => (this.#keyLife === 24 * hour ? [] : ['--key-life', `${this.#keyLife / hour}h`])

  /** Draws how a run of a command ends. A run of `send` has about 90 steps, a batch of three rows about 230. */
  #death({ result }: Command): Death {
    const random = this.#random
    if (random.chance(0.6)) return 'none'
    if (random.chance(0.7)) return { step: random.integer(10, result === 'rows' ? 250 : 90) }
    return { when: this.#service.after(random.integer(1, 10)), by: random.pick(['SIGKILL', 'SIGINT']) }
  }

  async #run(runs: readonly { readonly command: Command; readonly death: Death }[]): Promise<void> {
    const span = { begin: this.#service.tick(), isAlone: runs.length === 1 }
    const processes = runs.map(async ({ command, death }) => {
      const name = `payctl payments ${command.argv.join(' ')}`
      this.events.push(`${name}, death: ${JSON.stringify(death)}`)
      const ended = await this.#machine.run(['payments', ...command.argv], death)
      const { exitCode, signal, stdout, stderr } = ended
      count('processes')
      count(signal === undefined ? `exit ${exitCode}` : `killed by ${signal}`)
      this.events.push(`${name}: ${signal ?? exitCode}\n${stdout}\n${stderr}`)
      this.#judge.judgeProcess(ended, command, span)
    })
    await Promise.all(processes)
  }

  /** Lets time pass between two commands; the service may restart. */
  #pass(): void {
    const random = this.#random
    if (random.chance(0.3)) this.#service.restart()
    const [least, most] = random.pick([
      [0, 0],
      [0, 30 * second],
      [0, 3 * minute],
      [minute, 9 * minute],
      [10 * minute, 13 * minute],
      [this.#keyLife - quiet, this.#keyLife - minute],
      [this.#keyLife, 3 * this.#keyLife],
    ] as const)
    this.#skip(random.integer(least, most))
  }

  #skip(ms: number): void {
    this.events.push(`${Math.round(ms / second)} s pass`)
    this.#machine.makeOlder(ms)
    this.#service.skip(ms)
    this.#judge.judgePayments()
  }

  async #end(): Promise<void> {
    this.#service.weather = calm
    this.#skip(quiet)
    for (const user of ['alice', 'bob']) {
      if (!this.#machine.journal().some((row) => isInDoubt(row.status) && row.user.includes(`-of-${user}`))) continue
      this.#logIn(user, false)
      const argv = ['resume', '--json', ...this.#lifeOfKeys()]
      await this.#run([{ command: { argv, user, result: 'payments', orders: [] }, death: 'none' }])
    }
    this.#judge.judgeJournal()
    count('in doubt at the end', this.#judge.judgeEnd(this.#keyLife - quiet))
  }
}
