import { type Signal, useSignal } from '@preact/signals'
import { idempotencyHeader } from '../../../src/contract/headers.ts'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { onEvent } from '../frame/live.ts'
import { go } from '../frame/router.ts'
import { worldBase } from '../frame/session.ts'
import { asSent } from './request_commands.ts'

type Sent = ControlOutputOf<'control.requests.get'>

/** Milliseconds to wait for the log to show a request that was sent. */
const patience = 3000

/** The parts of a request that the user can edit in a form. */
type Edited = { readonly [Part in 'path' | 'key' | 'body']: Signal<string> }

const partsOf = (request: Sent) => ({
  path: asSent(request).path,
  key: request.idempotency_key ?? '',
  body: request.body === undefined ? '' : JSON.stringify(request.body, null, 2),
})

/** The parts of a request as text that the user can edit. */
export function useEdited(request: Sent): Edited {
  const { path, key, body } = partsOf(request)
  return { path: useSignal(path), key: useSignal(key), body: useSignal(body) }
}

/** Fields for path, key and body of a request. */
export const RequestFields = ({ request, edited }: { readonly request: Sent; readonly edited: Edited }) => (
  <>
    <Field label={text('request.path')} value={edited.path} />
    {request.idempotency_key !== null && (
      <Field label={text('request.key')} value={edited.key} hint={text('request.keyHint')} />
    )}
    {request.body !== undefined && (
      <label class="field">
        <span>{text('request.body')}</span>
        <textarea
          rows={8}
          spellcheck={false}
          value={edited.body}
          onInput={(event) => {
            edited.body.value = event.currentTarget.value
          }}
        />
      </label>
    )}
  </>
)

/** Form to edit a request and send it again; afterwards, the page opens the new request. */
export function SendAgain({ request }: { readonly request: Sent }) {
  const { method } = request
  const isOpen = useSignal(false)
  const edited = useEdited(request)
  const problem = useSignal<string | null>(null)
  if (!isOpen.value) {
    return (
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {text('do.edit')}
      </button>
    )
  }
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    problem.value = null
    try {
      const seen = nextInLog(method, edited.path.value.split('?')[0] ?? '')
      const answer = await sendAs(valuesOf(request, edited))
      const number = await seen
      if (number !== null) go(['requests', number])
      else if (answer === null) problem.value = text('state.noAnswer')
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <form class="form" onSubmit={send}>
      <RequestFields request={request} edited={edited} />
      {problem.value !== null && (
        <p class="alert" role="alert">
          <bdi>{problem}</bdi>
        </p>
      )}
      <button type="submit" class="primary">
        {text('do.send')} <span class="method">{method}</span>
      </button>
    </form>
  )
}

const Field = ({
  label,
  value,
  hint,
}: {
  readonly label: string
  readonly value: Signal<string>
  readonly hint?: string
}) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="text"
      spellcheck={false}
      autocomplete="off"
      value={value.value}
      onInput={(event) => {
        value.value = event.currentTarget.value
      }}
    />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)

interface ToSend {
  readonly method: string
  readonly user: string | null
  readonly path: string
  readonly key: string
  readonly body: string
}

/** The request as it was sent before. */
export const unchanged = (request: Sent): ToSend => ({
  method: request.method,
  user: request.user,
  ...partsOf(request),
})

/** The request with the user's edits. */
export const valuesOf = ({ method, user }: Sent, { path, key, body }: Edited): ToSend => ({
  method,
  user,
  path: path.value,
  key: key.value,
  body: body.value,
})

/**
 * Sends a request to a world as one of the world's users, with a token that is made for this request and revoked
 * afterwards. Resolves with the answer, or with null if none came.
 */
export async function sendAs({ method, user, path, key, body }: ToSend, base = worldBase): Promise<Response | null> {
  if (!/^\/(?!\/)/.test(path)) throw new Error(text('request.pathWrong'))
  if (body !== '') JSON.parse(body)
  const made = user === null ? null : await control('control.tokens.mint', { body: { user } }, { base })
  const bearer = made?.token ?? null
  // Network errors are results too: a fault may have cut the answer.
  const answer = await fetch(`${base}${path}`, {
    method,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
      ...(key !== '' && { [idempotencyHeader]: key }),
      ...(body !== '' && { 'Content-Type': 'application/json' }),
    },
    ...(body !== '' && { body }),
  }).catch(() => null)
  if (made) await control('control.tokens.revoke', { params: { id: String(made.id) } }, { base })
  return answer
}

/**
 * Resolves with the id of the next request with this method and path in the log; null if the log does not show it in
 * time.
 */
const nextInLog = (method: string, path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const stop = onEvent((event) => {
      if (event.type !== 'request' || event.request.path !== path || event.request.method !== method) return
      stop()
      resolve(event.request.id)
    })
    setTimeout(() => {
      stop()
      resolve(null)
    }, patience)
  })
