import { signal, useSignal } from '@preact/signals'
import { AnswerError, control } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { access, setToken } from '../frame/session.ts'

/** States of a code that does not work, by the status of its refusal. */
const failures: Readonly<Record<number, 'used' | 'expired' | 'incomplete'>> = {
  404: 'expired',
  409: 'used',
  422: 'incomplete',
}

/** Message of the answer to a code that does not work for another reason. */
const why = signal('')

/** Opens the page: exchanges the code of the link, if any, and finds out whether the emulator requires a token. */
export async function enter(code: string | null): Promise<void> {
  if (code !== null) {
    try {
      const { control_token } = await control('control.page.enter', { body: { code } })
      setToken(control_token)
    } catch (error) {
      const { status, message } = error as AnswerError
      why.value = message
      access.value = failures[status] ?? 'failed'
      return
    }
  }
  await tryToken()
}

async function tryToken(): Promise<void> {
  try {
    await control('control.clock.get')
    access.value = 'open'
  } catch (error) {
    // If the token was refused, the state is already set. Without an answer, the frame says that the page tries
    // again.
    if (!(error instanceof AnswerError) || error.status !== 401) access.value = 'open'
  }
}

/** Asks for the control token, and says why the link or token did not work. */
export function AskToken() {
  const typed = useSignal('')
  const state = access.value
  const isLinkRefused = state === 'used' || state === 'expired' || state === 'incomplete' || state === 'failed'
  return (
    <main class="gate">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          setToken(typed.value.trim() || null)
          void tryToken()
        }}
      >
        <h1>{text('access.title')}</h1>
        {isLinkRefused ? (
          <p class="alert" role="alert">
            {text(`access.${state}`, { why: why.value })}
          </p>
        ) : (
          <p>{text('access.lead')}</p>
        )}
        <label class="field">
          <span>{text('access.token')}</span>
          <input
            type="password"
            autocomplete="off"
            required={!isLinkRefused}
            aria-invalid={state === 'wrong'}
            aria-describedby="access-help"
            value={typed}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
        </label>
        {state === 'wrong' && (
          <p class="alert" role="alert">
            {text('access.wrong')}
          </p>
        )}
        <button class="primary" type="submit">
          {text('do.continue')}
        </button>
        <p id="access-help" class="soft">
          {text('access.help')} <code>payctl emulator open</code>
        </p>
      </form>
    </main>
  )
}
