import type { Ended } from '../../support/running.ts'
import type { JournalRow, LivedInMachine } from '../machine.ts'
import type { UnreliableService } from './service.ts'

// Rules for an order: it is paid once, as requested, and the service agrees with the reports and the journal of payctl.

/** Orders differ in their amounts. */
export interface Order {
  readonly user: string
  readonly to: string
  /** Minor units. */
  readonly amount: number
}

export interface Command {
  /** Arguments after `payctl payments`. */
  readonly argv: readonly string[]
  readonly user: string
  /** Content of stdout: one payment, rows of a batch, or all payments that were in doubt. */
  readonly result: 'payment' | 'rows' | 'payments'
  /** Orders that are paid if the exit code is 0. */
  readonly orders: readonly Order[]
}

interface Span {
  /** Tick of the service at which the process started. */
  readonly begin: number
  /** True if no other process ran meanwhile. */
  readonly isAlone: boolean
}

/** A process's report about an order. */
interface Claim {
  readonly amount: number
  readonly status: string
  /** Id of the payment, if the report names it. */
  readonly id?: string | null
}

/** A report that an order is unpaid, and that no request received before this tick can still pay the order. */
interface Unpaid {
  readonly amount: number
  readonly before: number
  readonly said: string
}

export class Judge {
  readonly wrong: string[] = []
  readonly #orders: ReadonlyMap<number, Order>
  readonly #service: UnreliableService
  readonly #machine: LivedInMachine
  readonly #unpaid: Unpaid[] = []

  /** `orders`: by amount. */
  constructor(orders: ReadonlyMap<number, Order>, service: UnreliableService, machine: LivedInMachine) {
    this.#orders = orders
    this.#service = service
    this.#machine = machine
  }

  /** Checks the report of a process that has ended on its own. */
  judgeProcess(ended: Ended, command: Command, span: Span): void {
    const { exitCode, signal, stderr } = ended
    if (signal !== undefined) return
    const { argv, result, orders } = command
    const name = `payments ${argv.slice(0, 2).join(' ')}, exit ${exitCode}`
    const wrong = (what: string) => this.wrong.push(`${name}: ${what}`)
    if (exitCode === undefined || exitCode === 1) wrong('a bug')
    const claims = claimsIn(ended, command)
    if (exitCode === 0) for (const { amount } of orders) claims.push({ amount, status: 'settled' })
    if (result === 'payment' && (exitCode === 7 || /no money moved/i.test(stderr)))
      for (const { amount } of orders) claims.push({ amount, status: 'rejected' })
    const saysDoubt = exitCode === 10 || exitCode === 130
    for (const { amount, status, id } of claims) {
      const said = `${name}, ${amount}: ${status}`
      if (isUnpaid(status)) this.#unpaid.push({ amount, said, before: this.#lastKnown(amount, span) })
      else if (!isInDoubt(status)) this.#requirePaid(said, amount, id)
      else if (!saysDoubt) wrong(`${amount} is in doubt`)
    }
    if (!span.isAlone) return
    const sent = this.#service.requests.filter(({ tick }) => tick > span.begin).map(({ amount }) => amount)
    if (sent.length > 0 && /nothing was sent/i.test(stderr)) wrong(`payments were sent: ${sent}`)
    const isOwn = ({ user }: JournalRow) => user === idOf(command.user)
    const isLeft = (row: JournalRow) => sent.includes(row.amount) || (result === 'payments' && isOwn(row))
    const left = this.#machine.journal().filter((row) => isInDoubt(row.status) && isLeft(row))
    const saysLeft = exitCode !== 0 && (result === 'payments' || saysDoubt)
    if (left.length > 0 && !saysLeft) wrong(`in doubt: ${left.map(({ amount }) => amount)}`)
  }

  /** Call while no process runs: the journal must be right about all requests so far, including those under way. */
  judgeJournal(): void {
    const rows = this.#machine.journal()
    for (const { id, user, amount, status, payment_id } of rows) {
      const said = `journal, ${id} of ${amount}: ${status}`
      const owner = this.#orders.get(amount)?.user ?? ''
      if (user !== idOf(owner) && !user.startsWith(`login:login-of-${owner}`))
        this.wrong.push(`${said} of user ${user}`)
      // A login that lacks the scope to read its user has a separate intent for the same order.
      const isUnpaidByAll = rows.every((row) => row.amount !== amount || isUnpaid(row.status))
      if (isUnpaidByAll) this.#unpaid.push({ amount, said, before: this.#service.tick() })
      if (status === 'settled') this.#requirePaid(said, amount, payment_id)
    }
    this.judgePayments()
  }

  judgePayments(): void {
    for (const { amount, user, to } of this.#orders.values()) {
      const paid = this.#service.paid(amount)
      if (paid.length > 1) this.wrong.push(`${amount} was paid ${paid.length} times`)
      for (const { shown, by } of paid) {
        const { iban, phone_number } = shown.payee
        if (iban !== to && phone_number !== to) this.wrong.push(`${amount} was paid to another payee than ${to}`)
        for (const { said } of this.#unpaid.filter((one) => one.amount === amount && by.tick < one.before))
          this.wrong.push(`${amount} was paid by a request that was received before this was said: ${said}`)
      }
      const other = this.#service.requests.find((one) => one.amount === amount && one.user !== user)
      if (other) this.wrong.push(`${user}'s payment of ${amount} was sent with the login of ${other.user}`)
    }
  }

  /**
   * Call after all payments in doubt have been resumed at a service without faults. A payment may stay in doubt only if
   * the service may have forgotten its key, or if its user is unknown. `keyLife` in milliseconds. Returns the number of
   * payments in doubt.
   */
  judgeEnd(keyLife: number): number {
    const left = this.#machine.journal().filter(({ status }) => isInDoubt(status))
    for (const { user, amount, in_doubt_since } of left) {
      const age = Date.now() - Date.parse(in_doubt_since ?? '')
      const mayResume = user.startsWith('id-of-') && age < keyLife
      if (mayResume || this.#service.paid(amount).length > 0) this.wrong.push(`${amount} stays in doubt`)
    }
    return left.length
  }

  #requirePaid(said: string, amount: number, id: string | null | undefined): void {
    const ids = this.#service.paid(amount).map(({ shown }) => shown.id)
    if (ids.length !== 1 || (id && id !== ids[0])) this.wrong.push(`${said} by ${id}, and it was paid by ${ids}`)
  }

  /**
   * The tick up to which a process can know of requests. Another process that runs at the same time may send the
   * payment after the service refused it to this process.
   */
  #lastKnown(amount: number, { begin, isAlone }: Span): number {
    if (isAlone) return this.#service.tick()
    const own = this.#service.requests.filter((request) => request.amount === amount)
    return Math.max(begin, ...own.map(({ refused = 0 }) => refused))
  }
}

export const isInDoubt = (status: string): boolean => status === 'sent' || status === 'unknown'

/** No money moved. */
const isUnpaid = (status: string): boolean => ['not_sent', 'prepared', 'rejected'].includes(status)

export const idOf = (user: string): string => `id-of-${user}`

interface Resumed {
  readonly id: string | null
  readonly intent: { readonly status: string; readonly body: { readonly amount: number } }
}

function claimsIn({ stdout }: Ended, { result, orders }: Command): Claim[] {
  if (stdout.trim() === '') return []
  if (result === 'rows') {
    const rows = stdout.split('\n').map((line) => JSON.parse(line))
    return rows.map(({ amount, status, payment_id }) => ({ amount: amount.value, status, id: payment_id }))
  }
  const data = JSON.parse(stdout)
  if (result === 'payment') return orders.map(({ amount }) => ({ amount, status: 'settled', id: data.id }))
  return data.map(({ id, intent }: Resumed) => ({ amount: intent.body.amount, status: intent.status, id }))
}
