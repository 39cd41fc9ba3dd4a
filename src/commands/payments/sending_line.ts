import type { Context } from '../../cli/command.ts'
import type { InitiatedPayment, Named, Payment } from '../../client/received.ts'
import { moneyText } from '../../contract/money.ts'
import { endedUnpaid, hasEnded } from '../../contract/payment_names.ts'
import { progressOn } from '../../output/progress.ts'
import type { Leaving } from '../../payments/question.ts'
import { monotonicClock } from '../../real_time.ts'
import type { Reporter } from '../../run/reporter.ts'
import { marksFor } from '../../run/style.ts'
import { foreign, say, type Text } from '../../words/text.ts'
import { markOf, recipientOf, statusWord } from './columns.ts'

type SentPayment = Named<InitiatedPayment | Payment>

/**
 * Progress of a payment, on stderr. On a terminal, one line changes in place, and stays after the payment has been
 * sent; elsewhere each change is a line. The line shows only what the service has reported.
 */
export class SendingLine {
  readonly #context: Context
  readonly #progress: Reporter['progress']
  readonly #isInPlace: boolean
  #leaving: Leaving | undefined
  /** Time of sending in milliseconds, on the monotonic clock. */
  #start = 0
  #latest: SentPayment | undefined
  #hasChanged = false

  constructor(context: Context) {
    this.#context = context
    this.#progress = progressOn(context)
    this.#isInPlace = context.io.stderr.isTTY === true && context.globals.quiet !== true
  }

  /** Shows that a payment is about to be sent. */
  leaving(what: Leaving): void {
    this.#leaving = what
    this.#start = monotonicClock()
    if (this.#isInPlace) this.#show(say`Sending ${what.amount} to ${what.payee}`)
  }

  /** Shows the payment's current state at the service. */
  shows(payment: SentPayment): void {
    const before = this.#latest
    this.#latest = payment
    if (before && before.status === payment.status) return
    if (before) this.#hasChanged = true
    if (this.#isInPlace) {
      this.#show(say`${this.#words(payment)}, ${this.#state(payment)}`)
      return
    }
    const state = payment.status
      ? say`Payment ${payment.id} is ${foreign(payment.status)}`
      : say`Payment ${payment.id} was accepted`
    const what = this.#words(payment)
    const sent = endedUnpaid(payment.status) ? say`Not paid: ${what}. ${state}` : say`Sent ${what}. ${state}`
    this.#context.output.note(before || !this.#leaving ? state : sent)
  }

  /** Prints the last state to the terminal, once. False if there was nothing to print. */
  end(): boolean {
    this.#progress(null)
    const payment = this.#latest
    this.#latest = undefined
    if (!payment || !this.#isInPlace) return false
    const { env, output } = this.#context
    const mark = marksFor(env)[markOf(payment)]
    const seconds = (monotonicClock() - this.#start) / 1000
    // The duration is known only if the run waited for the payment's end.
    const hasDuration = this.#hasChanged && this.#leaving && hasEnded(payment.status)
    const state = hasDuration ? say`${this.#state(payment)} in ${seconds.toFixed(1)} s` : this.#state(payment)
    output.note(say`${mark} ${this.#words(payment)}, ${state}   ${payment.id.slice(-5)}`)
    return true
  }

  #show(text: Text): void {
    this.#progress(text)
  }

  #words(payment: SentPayment): Text {
    const name = 'payee' in payment ? payment.payee.name : undefined
    const amount = moneyText(payment.amount) || this.#leaving?.amount || say`a payment`
    return say`${amount} to ${name || this.#leaving?.payee || recipientOf(payment) || say`its payee`}`
  }

  #state({ status }: SentPayment): Text {
    if (hasEnded(status)) return statusWord(status)
    return status ? say`sent, ${foreign(status)}` : say`sent`
  }
}
