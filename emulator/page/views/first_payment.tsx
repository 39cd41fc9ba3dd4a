import { useSignal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control, service } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { worldName } from '../frame/session.ts'
import { Empty, Waiting } from '../parts/states.tsx'
import { keyHeader } from './request_commands.ts'

type Account = Awaited<ReturnType<typeof accountsOf>>[number]

const world = worldName === 'default' ? '' : ` --base-url ${location.origin}/w/${worldName}`

/** A world without payments: a command to copy, and a form that sends the first payment. */
export function FirstPayment() {
  const users = useAnswer('control.users.list')
  const registry = useAnswer('control.registry.list')
  const [user] = users.data ?? []
  const phone = registry.data?.find(
    ({ channel, outcome }) => channel === 'sinpe_movil' && outcome === 'completed',
  )?.address
  return (
    <Empty
      title={text('payments.empty')}
      command={`payctl${world === '' ? ' --emulator' : world} payments send --from CRC --to ${phone ?? '<phone>'} --amount 1500.25`}
    >
      <p class="soft">{text('payments.emptyDetail')}</p>
      {users.error && <Waiting error={users.error} retry={users.reload} />}
      {user && registry.data && <SendForm user={user} phone={phone ?? ''} />}
    </Empty>
  )
}

/** Accounts of a user, read with a token that is made for it. */
async function accountsOf(token: string) {
  const { data } = await service('accounts.list', { query: {} }, token)
  return data
}

function SendForm({
  user,
  phone,
}: {
  readonly user: ControlOutputOf<'control.users.list'>[number]
  readonly phone: string
}) {
  const to = useSignal(phone)
  const sum = useSignal('1500.25')
  const isSending = useSignal(false)
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    isSending.value = true
    await act(() => sendPayment({ user: user.id, to: to.value, sum: sum.value }), text('payments.sent'))
    isSending.value = false
  }
  return (
    <form class="form inline" onSubmit={send}>
      <label class="field">
        <span>{text('payments.to')}</span>
        <input
          required
          value={to}
          autocomplete="off"
          onInput={(event) => {
            to.value = event.currentTarget.value
          }}
        />
      </label>
      <label class="field">
        <span>{text('column.amount')} (CRC)</span>
        <input
          required
          inputMode="decimal"
          pattern="\d+(\.\d{1,2})?"
          value={sum}
          autocomplete="off"
          onInput={(event) => {
            sum.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit" class="primary" disabled={isSending}>
        {text('do.sendPayment')}
      </button>
    </form>
  )
}

/** Sends a payment from the user's first active account in colones, opened if there is none. */
async function sendPayment({ user, to, sum }: { readonly user: string; readonly to: string; readonly sum: string }) {
  const { id, token } = await control('control.tokens.mint', { body: { user } })
  try {
    const accounts = await accountsOf(token)
    const account = accounts.find(isPayer)
    if (!account) throw new Error(text('payments.noAccount'))
    const [whole = '0', cents = ''] = sum.split('.')
    const place = to.replace(/[\s-]/g, '')
    await service(
      'payments.create',
      {
        headers: { [keyHeader]: newKey() },
        body: {
          source_account_id: account.id,
          ...(/^CR/i.test(place) ? { recipient_iban: place.toUpperCase() } : { recipient_phone: place }),
          amount: Number(whole) * 100 + Number(cents.padEnd(2, '0')),
        },
      } as never,
      token,
    )
  } finally {
    await control('control.tokens.revoke', { params: { id: String(id) } })
  }
}

/** An idempotency key. `crypto.randomUUID` exists only on https and loopback. */
const newKey = (): string =>
  `page-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

const isPayer = ({ status, balance }: Account): boolean => status === 'active' && balance.currency === 'CRC'
