import { useSignal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { onEvent } from '../frame/live.ts'
import { go } from '../frame/router.ts'
import { worldBase } from '../frame/session.ts'
import { keyHeader, pathOf } from './request_commands.ts'

type Sent = ControlOutputOf<'control.requests.get'>

/** Milliseconds to wait for the log to show a request that was sent. */
const patience = 3000

/** A form with the request, to change and send again; then it opens the new request. */
export function SendAgain({ request }: { readonly request: Sent }) {
  const { method, user, idempotency_key: key, body } = request
  const isOpen = useSignal(false)
  const path = useSignal(pathOf(request))
  const newKey = useSignal(key ?? '')
  const content = useSignal(body === undefined ? '' : JSON.stringify(body, null, 2))
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
      const number = await sentAgain({ method, user, path: path.value, key: newKey.value, body: content.value })
      if (number !== null) go(['requests', number])
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <form class="form" onSubmit={send}>
      <Field label={text('request.path')} value={path} />
      {key !== null && <Field label={text('request.key')} value={newKey} hint={text('request.keyHint')} />}
      {body !== undefined && (
        <label class="field">
          <span>{text('request.body')}</span>
          <textarea
            rows={8}
            spellcheck={false}
            value={content}
            onInput={(event) => {
              content.value = event.currentTarget.value
            }}
          />
        </label>
      )}
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
  readonly value: { value: string }
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

/**
 * Sends a request as its user, with a token that is made for it and revoked afterwards. Resolves with the id of the request in
 * the log; null if the log does not show it in time.
 */
async function sentAgain(sent: {
  readonly method: string
  readonly user: string | null
  readonly path: string
  readonly key: string
  readonly body: string
}): Promise<string | null> {
  const { method, user, path, key, body } = sent
  if (!/^\/(?!\/)/.test(path)) throw new Error(text('request.pathWrong'))
  if (body !== '') JSON.parse(body)
  const made = user === null ? null : await control('control.tokens.mint', { body: { user } })
  const bearer = made?.token ?? null
  const plain = path.split('?')[0]
  const seen = new Promise<string | null>((resolve) => {
    const stop = onEvent((event) => {
      if (event.type !== 'request' || event.request.path !== plain || event.request.method !== method) return
      stop()
      resolve(event.request.id)
    })
    setTimeout(() => {
      stop()
      resolve(null)
    }, patience)
  })
  // Errors of the network are results too: a fault may have cut the answer.
  await fetch(`${worldBase}${path}`, {
    method,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
      ...(key !== '' && { [keyHeader]: key }),
      ...(body !== '' && { 'Content-Type': 'application/json' }),
    },
    ...(body !== '' && { body }),
  }).catch(() => null)
  if (made) await control('control.tokens.revoke', { params: { id: String(made.id) } })
  return seen
}
