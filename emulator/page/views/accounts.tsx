import { useSignal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { asUser, control, service } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { Detail, Facts } from '../parts/detail.tsx'
import { Amount, Mark, ShortId } from '../parts/facts.tsx'
import { Command, Cut, Empty, Heading, Waiting } from '../parts/states.tsx'
import { type User, UserField } from '../parts/user_field.tsx'

type Account = ControlOutputOf<'control.accounts.list'>['data'][number]

/**
 * Accounts of all users with their balances, and the result of the ledger's check. An opened account is shown beside
 * the list.
 */
export function Accounts({ path: [id] }: { readonly path: readonly string[] }) {
  const when = { when: ({ type }: { readonly type: string }) => type === 'entries' || type === 'payment' }
  const accounts = useAnswer('control.accounts.list', { query: { per_page: 1000 } }, when)
  const ledger = useAnswer('control.ledger', {}, when)
  const users = useAnswer('control.users.list')
  const reload = () => {
    accounts.reload()
    ledger.reload()
  }
  const open = accounts.data?.data.find((account) => account.id === id)
  return (
    <div class={open ? 'split open' : 'split'}>
      <div class="view accounts">
        <Heading aside={ledger.data && <Ledger check={ledger.data} />}>{text('nav.accounts')}</Heading>
        {accounts.data ? (
          <>
            <Table accounts={accounts.data.data} openId={id} />
            <Cut page={accounts.data} />
          </>
        ) : (
          <Waiting error={accounts.error} retry={accounts.reload} />
        )}
        {users.data && <OpenForm users={users.data} reload={reload} />}
        {users.error && <Waiting error={users.error} retry={users.reload} />}
        {ledger.error && <Waiting error={ledger.error} retry={ledger.reload} />}
        <Command>payctl emulator accounts</Command>
      </div>
      {open && <AccountDetail key={open.id} account={open} reload={reload} />}
    </div>
  )
}

/** Result of the ledger's check, with its problems. */
const Ledger = ({ check: { balanced, problems } }: { readonly check: ControlOutputOf<'control.ledger'> }) => (
  <div role="status">
    <Mark tone={balanced ? 'good' : 'bad'}>{text(balanced ? 'accounts.balanced' : 'accounts.unbalanced')}</Mark>
    {problems.map((problem) => (
      <p key={problem} class="soft">
        {problem}
      </p>
    ))}
  </div>
)

function Table({ accounts, openId }: { readonly accounts: readonly Account[]; readonly openId: string | undefined }) {
  if (accounts.length === 0) return <Empty title={text('accounts.none')} command="payctl --emulator accounts create" />
  return (
    <div class="table-box" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('accounts.owner')}</th>
            <th scope="col">IBAN</th>
            <th scope="col" class="number">
              {text('accounts.balance')}
            </th>
            <th scope="col" class="number">
              {text('payment.held')}
            </th>
            <th scope="col">{text('column.status')}</th>
          </tr>
        </thead>
        <tbody>
          {accounts.map(({ id, iban, owner_name, balance, held, status }) => (
            <tr key={id}>
              <th scope="row">
                <a data-row={id} href={linkTo(['accounts', id])} aria-current={id === openId ? 'true' : undefined}>
                  <bdi>{owner_name}</bdi>
                </a>
              </th>
              <td>
                <code>{iban}</code>
              </td>
              <td class="number">
                <Amount money={balance} />
              </td>
              <td class="number" data-label={text('payment.held')}>
                {held.value !== 0 && <Amount money={held} />}
              </td>
              <td>
                <State status={status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const State = ({ status }: Pick<Account, 'status'>) => (
  <Mark tone={status === 'active' ? 'good' : 'warn'}>{text(`account.${status}`)}</Mark>
)

interface Changing {
  readonly reload: () => void
}

async function run(work: () => Promise<unknown>, done: string, reload: () => void): Promise<void> {
  if (await act(work, done)) reload()
}

function AccountDetail({ account, reload }: Changing & { readonly account: Account }) {
  const { id, iban, balance, held, owner_name, document_number, status, user_id } = account
  const set = (body: { status?: Account['status']; balance?: number }) =>
    run(() => control('control.accounts.set', { params: { id }, body }), text('accounts.changed'), reload)
  return (
    <Detail title={<bdi>{owner_name}</bdi>} close={linkTo(['accounts'])}>
      <p class="payment-amount">
        <Amount money={balance} />
      </p>
      <Facts
        rows={[
          ['accounts.iban', <code key="i">{iban}</code>],
          ['payment.held', held.value !== 0 && <Amount money={held} />],
          ['column.status', <State key="s" status={status} />],
          ['accounts.document', <code key="d">{document_number}</code>],
          ['column.id', <code key="a">{id}</code>],
          ['request.user', <ShortId key="u" id={user_id} />],
        ]}
      />
      <p class="after">
        <a href={linkTo(['payments'], { text: iban })}>{text('accounts.payments')}</a>
      </p>
      <section>
        <h3>{text('accounts.credit')}</h3>
        <p class="soft">{text('accounts.creditDetail')}</p>
        <AmountForm
          label={text('column.amount')}
          currency={balance.currency}
          action={text('accounts.receive')}
          onAmount={(amount) =>
            run(
              () => control('control.credits.create', { body: { to: iban, amount } }),
              text('accounts.received'),
              reload,
            )
          }
        />
      </section>
      <section>
        <h3>{text('accounts.change')}</h3>
        <AmountForm
          label={text('accounts.balance')}
          currency={balance.currency}
          action={text('accounts.setBalance')}
          onAmount={(balance) => set({ balance })}
        />
        <div class="actions status-actions">
          {(['active', 'inactive', 'closed'] as const)
            .filter((each) => each !== status)
            .map((each) => (
              <button type="button" key={each} onClick={() => void set({ status: each })}>
                {text('accounts.setStatus', { status: text(`account.${each}`) })}
              </button>
            ))}
        </div>
      </section>
    </Detail>
  )
}

interface AmountFormProps {
  readonly label: string
  readonly currency: string
  readonly action: string
  /** Gets minor units. */
  readonly onAmount: (minor: number) => Promise<void>
}

function AmountForm({ label, currency, action, onAmount }: AmountFormProps) {
  const typed = useSignal('')
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        const [whole = '0', cents = ''] = typed.value.split('.')
        void onAmount(Number(whole) * 100 + Number(cents.padEnd(2, '0')))
        typed.value = ''
      }}
    >
      <label class="field">
        <span>
          {label} ({currency})
        </span>
        <input
          required
          inputMode="decimal"
          pattern="\d{1,13}(\.\d{1,2})?"
          placeholder="1500.25"
          autocomplete="off"
          value={typed}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit">{action}</button>
    </form>
  )
}

/** Form that opens an account for a user. */
function OpenForm({ users, reload }: Changing & { readonly users: readonly User[] }) {
  const user = useSignal(users[0]?.id ?? '')
  const currency = useSignal<'CRC' | 'USD'>('CRC')
  const open = () =>
    asUser(user.value, (token) => service('accounts.create', { body: { currency: currency.value } }, token))
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        void run(open, text('accounts.opened'), reload)
      }}
    >
      <UserField users={users} value={user} />
      <label class="field">
        <span>{text('accounts.currency')}</span>
        <select
          value={currency}
          onChange={(event) => {
            currency.value = event.currentTarget.value as 'CRC' | 'USD'
          }}
        >
          <option>CRC</option>
          <option>USD</option>
        </select>
      </label>
      <button type="submit">{text('accounts.open')}</button>
    </form>
  )
}
