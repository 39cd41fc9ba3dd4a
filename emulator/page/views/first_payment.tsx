import { useSignal } from '@preact/signals'
import { idempotencyHeader } from '../../../src/contract/headers.ts'
import type { ControlOutputOf, InputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control, service } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { worldName } from '../frame/session.ts'
import { Command, Empty, Waiting } from '../parts/states.tsx'

type Account = Awaited<ReturnType<typeof accountsOf>>[number]

const world = worldName === 'default' ? '' : ` --base-url ${location.origin}/w/${worldName}`

/** Payee for a world in which no customer of another bank exists. */
const newPayee = { phone: '87000001', name: 'Carlos Jiménez Mora', document_number: '0109990777' }

/** View of a world without payments: commands to copy, and a form that sends the first payment. */
export function FirstPayment() {
  const users = useAnswer('control.users.list')
  const registry = useAnswer('control.registry.list')
  const [user] = users.data ?? []
  const known = registry.data?.find(({ channel, outcome }) => channel === 'sinpe_movil' && outcome === 'completed')
  const phone = known?.address ?? newPayee.phone
  return (
    <Empty title={text('payments.empty')}>
      <p class="soft">{text('payments.emptyDetail')}</p>
      {users.error && <Waiting error={users.error} retry={users.reload} />}
      {registry.error && <Waiting error={registry.error} retry={registry.reload} />}
      {user && registry.data && <SendForm user={user} phone={phone} isKnown={known !== undefined} />}
      {registry.data && !known && (
        <Command>{`payctl${world} emulator registry add --phone ${newPayee.phone} --name '${newPayee.name}' --document ${newPayee.document_number}`}</Command>
      )}
      <Command>{`payctl${world || ' --emulator'} payments send --from CRC --to ${phone} --amount 1500.25`}</Command>
    </Empty>
  )
}

/** Accounts of the user to whom a token belongs. */
async function accountsOf(token: string) {
  const { data } = await service('accounts.list', { query: {} }, token)
  return data
}

function SendForm({
  user,
  phone,
  isKnown,
}: {
  readonly user: ControlOutputOf<'control.users.list'>[number]
  readonly phone: string
  readonly isKnown: boolean
}) {
  const to = useSignal(phone)
  const sum = useSignal('1500.25')
  const isSending = useSignal(false)
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    isSending.value = true
    await act(async () => {
      if (!isKnown && to.value === newPayee.phone) await control('control.registry.add', { body: newPayee })
      await sendPayment({ user: user.id, to: to.value, sum: sum.value })
    }, text('payments.sent'))
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

/** Balance, in minor units, of an account that the page opens. */
const firstBalance = 100_000_000

/**
 * Sends a payment from the user's first active account in colones. If the user has none, opens an account with money
 * first.
 */
async function sendPayment({ user, to, sum }: { readonly user: string; readonly to: string; readonly sum: string }) {
  const { id, token } = await control('control.tokens.mint', { body: { user } })
  try {
    const [whole = '0', cents = ''] = sum.split('.')
    const place = to.replace(/[\s-]/g, '')
    await service(
      'payments.create',
      {
        headers: { [idempotencyHeader]: newKey() },
        body: {
          source_account_id: (await accountsOf(token)).find(isPayer)?.id ?? (await openAccount(token)),
          ...(/^CR/i.test(place) ? { recipient_iban: place.toUpperCase() } : { recipient_phone: place }),
          amount: Number(whole) * 100 + Number(cents.padEnd(2, '0')),
        },
      } as InputOf<'payments.create'>,
      token,
    )
  } finally {
    await control('control.tokens.revoke', { params: { id: String(id) } })
  }
}

async function openAccount(token: string): Promise<string> {
  const { id } = await service('accounts.create', { body: { currency: 'CRC' } }, token)
  await control('control.accounts.set', { params: { id }, body: { balance: firstBalance } })
  return id
}

/** An idempotency key. `crypto.randomUUID` exists only on https and loopback. */
const newKey = (): string =>
  `page-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

const isPayer = ({ status, balance }: Account): boolean => status === 'active' && balance.currency === 'CRC'
