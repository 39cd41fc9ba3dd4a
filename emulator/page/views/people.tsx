import { useSignal } from '@preact/signals'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { duration, text } from '../frame/language.ts'
import { Copy } from '../parts/copy.tsx'
import { Mark, Moment, Status } from '../parts/facts.tsx'
import { Command, Heading, Waiting } from '../parts/states.tsx'
import { type User, UserField } from '../parts/user_field.tsx'

/** Users, tokens and OAuth clients of the world, and recipients to which payments do not complete as usual. */
export function People() {
  const users = useAnswer('control.users.list')
  return (
    <div class="view">
      <Heading>{text('nav.people')}</Heading>
      {users.data ? (
        <>
          <Users users={users.data} reload={users.reload} />
          <Tokens users={users.data} />
        </>
      ) : (
        <Waiting error={users.error} retry={users.reload} />
      )}
      <Clients />
      <Recipients />
      <Command>payctl emulator users</Command>
    </div>
  )
}

function Users({ users, reload }: { readonly users: readonly User[]; readonly reload: () => void }) {
  const name = useSignal('')
  return (
    <section>
      <div class="table-box" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('people.name')}</th>
              <th scope="col">{text('people.email')}</th>
              <th scope="col">{text('people.phone')}</th>
              <th scope="col">{text('accounts.document')}</th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <th scope="row">
                  <bdi>{user.name}</bdi>
                </th>
                <td>
                  <bdi>{user.email}</bdi>
                </td>
                <td>
                  <code>{user.phone}</code>
                </td>
                <td data-label={text('accounts.document')}>
                  <code>{user.document_number}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <form
        class="form inline"
        onSubmit={async (event) => {
          event.preventDefault()
          const add = () => control('control.users.create', { body: { name: name.value } })
          if (await act(add, text('people.added'))) reload()
        }}
      >
        <label class="field">
          <span>{text('people.newName')}</span>
          <input
            required
            value={name}
            autocomplete="off"
            onInput={(event) => {
              name.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit">{text('people.add')}</button>
      </form>
    </section>
  )
}

function Tokens({ users }: { readonly users: readonly User[] }) {
  const { data, error, reload } = useAnswer('control.tokens.list')
  const user = useSignal(users[0]?.id ?? '')
  const secret = useSignal('')
  const mint = async () => {
    const made = await control('control.tokens.mint', { body: { user: user.value } })
    secret.value = made.token
  }
  const nameOf = (id: string) => users.find((each) => each.id === id)?.name ?? id
  return (
    <section>
      <h2>{text('people.tokens')}</h2>
      <form
        class="form inline"
        onSubmit={async (event) => {
          event.preventDefault()
          if (await act(mint, text('people.minted'))) reload()
        }}
      >
        <UserField users={users} value={user} />
        <button type="submit">{text('people.mint')}</button>
      </form>
      {secret.value !== '' && (
        <p class="command secret">
          <code>{secret}</code>
          <Copy value={secret.value} label="do.copy" />
        </p>
      )}
      {secret.value !== '' && <p class="hint">{text('people.once')}</p>}
      {data ? (
        <ul class="plain-list">
          {data.map(({ id, user, scopes, revoked_at, created_at }) => (
            <li key={id}>
              <span class="grow">
                <bdi>{nameOf(user)}</bdi>{' '}
                <span class="soft">
                  {text('people.token', { id })} · <Moment at={created_at} withDay /> · {scopes.join(', ')}
                </span>
              </span>
              {revoked_at === null ? (
                <button
                  type="button"
                  onClick={async () => {
                    const revoke = () => control('control.tokens.revoke', { params: { id: `${id}` } })
                    if (await act(revoke, text('people.revoked'))) reload()
                  }}
                >
                  {text('people.revoke')} <span class="visually-hidden">{id}</span>
                </button>
              ) : (
                <Mark tone="bad">{text('people.revoked')}</Mark>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <Waiting error={error} retry={reload} />
      )}
    </section>
  )
}

function Clients() {
  const { data, error, reload } = useAnswer('control.clients.list')
  return (
    <section>
      <h2>{text('people.clients')}</h2>
      {data ? (
        <ul class="plain-list">
          {data.map(({ client_id, name, redirect_uris }) => (
            <li key={client_id}>
              <span class="grow">
                <bdi>{name}</bdi> <code class="soft">{client_id}</code>
                <span class="soft block">
                  <bdi>{redirect_uris.join(' ')}</bdi>
                </span>
              </span>
              <button
                type="button"
                onClick={async () => {
                  const remove = () => control('control.clients.remove', { params: { client_id } })
                  if (await act(remove, text('people.removed'))) reload()
                }}
              >
                {text('faults.remove')} <span class="visually-hidden">{client_id}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <Waiting error={error} retry={reload} />
      )}
    </section>
  )
}

/**
 * Recipients in the registry whose outcome is not `completed`, with the final status of payments to each of them, and
 * the time that these payments take.
 */
function Recipients() {
  const { data, error, reload } = useAnswer('control.scenarios')
  return (
    <section>
      <h2>{text('people.recipients')}</h2>
      <p class="soft">{text('people.recipientsDetail')}</p>
      {data ? (
        <div class="table-box" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text('people.name')}</th>
                <th scope="col">{text('people.address')}</th>
                <th scope="col">{text('people.result')}</th>
                <th scope="col">{text('people.after')}</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ address, name, status, error_message, after_ms }) => (
                <tr key={address}>
                  <th scope="row">
                    <bdi>{name}</bdi>
                  </th>
                  <td>
                    <code>{address}</code>
                  </td>
                  <td>
                    <Status status={status} />
                    {error_message !== null && (
                      <span class="soft block">
                        <bdi>{error_message}</bdi>
                      </span>
                    )}
                  </td>
                  <td data-label={text('people.after')}>{duration(after_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <Waiting error={error} retry={reload} />
      )}
    </section>
  )
}
