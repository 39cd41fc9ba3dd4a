import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { keepMoments } from '../frame/moments.ts'
import { emulatorBase } from '../frame/session.ts'
import { sendAs } from './send_again.tsx'
import { type Later, learn, type PaymentIds, sendLater } from './what_if_later.ts'

type Request = ControlOutputOf<'control.requests.get'>

/** Changes in the fork, in the order of the form. */
export const changes = ['fail', 'lose', 'offline', 'money', 'nothing', 'edit'] as const
export type Change = (typeof changes)[number]

/** The fork to make, and what to do in it. */
export interface Plan {
  /** Id of the request or moment, for the name of the fork. */
  readonly id: string
  /** Moment at which to fork this world. */
  readonly moment: string
  readonly change: Change
  /** Payment that the request made, or whose next step the fork precedes; null if there is none. */
  readonly payment: string | null
  /** Request that is sent again in the fork; null if there is none. */
  readonly request: Request | null
  readonly sent: Parameters<typeof sendAs>[0] | null
  /** Balance that the payer gets, in minor units; for the change `money`. */
  readonly balance: number
  /** True: sends the requests after `request` as well. */
  readonly goesOn: boolean
  /** True: runs the clock of the fork until nothing is due. */
  readonly runs: boolean
}

interface Fork {
  readonly name: string
  /** Null if no later requests were to be sent. */
  readonly later: Later | null
}

/** Seconds without requests after which a forgotten fork ends. */
const ttl_seconds = 86_400

/** URL of a world of this emulator. */
export const baseOf = (name: string): string => (name === 'default' ? emulatorBase : `${emulatorBase}/w/${name}`)

/** Forks the world and carries out the plan. Ends the fork if a step fails. */
export async function carryOut(plan: Plan): Promise<Fork> {
  await keepMoments()
  const { name } = await control('control.worlds.create', {
    body: { name: newName(plan.id), from: { moment: plan.moment }, ttl_seconds },
  })
  try {
    const base = baseOf(name)
    for (const { id, answer } of await control('control.receivers.list')) {
      // Without these calls, the built-in receivers of a fork would answer 200.
      await control('control.receivers.set', { params: { id }, body: answer }, { base })
    }
    await apply(plan, base)
    const later = plan.sent && (await send(plan, plan.sent, base))
    if (plan.runs) await control('control.clock.runUntilIdle', { body: {} }, { base })
    return { name, later }
  } catch (error) {
    await control('control.worlds.delete', { params: { name } }).catch(() => {})
    throw error
  }
}

async function send({ id, request, goesOn }: Plan, sent: NonNullable<Plan['sent']>, base: string) {
  const answer = await sendAs(sent, base)
  if (!goesOn) return null
  const ids: PaymentIds = new Map()
  await learn(ids, request?.payment_id ?? null, answer)
  return sendLater(id, base, ids)
}

/** A unique name that contains the id that the fork was made for. */
function newName(id: string): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return `what-if-${id}-${random.toString(36)}`
}

/** Makes the change in the fork, before the request is sent. */
async function apply(plan: Plan, base: string): Promise<void> {
  const { change, request, payment, balance } = plan
  if (change === 'fail') {
    if (request) await letFail(request, base)
    else if (payment !== null) {
      await control('control.payments.move', { params: { id: payment }, body: { to: 'failed' } }, { base })
    }
  }
  if (change === 'lose' && request) {
    const { method, path } = request
    // Browsers repeat a request by themselves if no byte of the answer arrives, so the answer is truncated, not lost.
    await control('control.faults.add', { body: { method: method as 'POST', path, fault: 'truncate' } }, { base })
  }
  if (change === 'offline') {
    const under_way = { pin: 'timeout', sinpe_movil: 'timeout' } as const
    await control('control.rails.set', { body: { pin: 'offline', sinpe_movil: 'offline', under_way } }, { base })
  }
  const account = payerOf(request)
  if (change === 'money' && account !== null) {
    await control('control.accounts.set', { params: { id: account }, body: { balance } }, { base })
  }
}

/**
 * Makes all payments to the request's payee fail: a payment that settles at once can't be moved to `failed` afterwards.
 */
async function letFail({ body }: Request, base: string): Promise<void> {
  const { recipient_iban: iban, recipient_phone: phone } = body as Readonly<Record<string, unknown>>
  const address = typeof iban === 'string' ? iban.replace(/\s/g, '').toUpperCase() : digitsOf(String(phone))
  const registry = await control('control.registry.list', {}, { base })
  const entry = registry.find((each) => each.address === address)
  if (!entry) throw new Error(text('whatIf.ownPayee'))
  const { channel, name, document_number, document_type, currency } = entry
  await control('control.registry.remove', { params: { address } }, { base })
  const place = channel === 'pin' ? { iban: address } : { phone: address }
  await control(
    'control.registry.add',
    { body: { ...place, name, document_number, document_type, currency, outcome: 'failed' } },
    { base },
  )
}

/** The last eight digits of a phone number, which a country code may precede. */
const digitsOf = (phone: string): string => phone.replace(/\D/g, '').slice(-8)

/** Id of the account that a request pays from; null if the request is not a payment. */
export function payerOf(request: Request | null): string | null {
  const account = (request?.body as { readonly source_account_id?: unknown } | undefined)?.source_account_id
  return typeof account === 'string' ? account : null
}
