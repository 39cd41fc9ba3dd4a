import { CliError } from '../errors/cli_error.ts'
import type { LogIn } from '../errors/next_step.ts'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { failedPage, loggedInPage, strayPage } from './answer_page.ts'
import {
  type Authorization,
  type AuthorizationAnswer,
  newAuthorization,
  readAnswer,
  readPasted,
} from './authorization.ts'
import { startCallbackServer } from './callback_server.ts'
import { type LoginAgain, OAuthRefusal } from './refusals.ts'

interface BrowserLogin<Result> {
  readonly authUrl: string
  readonly clientId: string
  readonly scopes: readonly string[] | undefined
  /** 0: any free port. */
  readonly port: number
  /** Milliseconds to wait for the user. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Opens the service's page for the user. */
  show(url: string): Promise<void>
  /** Asks for the address that the browser shows; ends when the signal aborts. */
  readonly paste?: ((signal: AbortSignal) => Promise<string>) | undefined
  /** Exchanges the code for tokens. Called once. */
  complete(code: string, authorization: Authorization): Promise<Result>
  note(text: string): void
  readonly again: LoginAgain
}

/**
 * Sends the user to the service's page and waits for the answer, on a port of this machine and at the terminal. Accepts
 * only an answer with this login's state, or a code that the user pastes. For any other callback, the browser shows an
 * error page, and the wait continues.
 */
export async function loginInBrowser<Result>(login: BrowserLogin<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  promise.catch(() => {}) // the promise may reject after the wait has ended
  const over = new AbortController()
  let answered: Promise<void> | undefined
  const take = (answer: AuthorizationAnswer): Promise<void> => {
    clearTimeout(timer)
    over.abort()
    answered ??= accept(answer).then(resolve)
    answered.catch(reject)
    return answered
  }
  const accept = async (answer: AuthorizationAnswer): Promise<Result> => {
    if ('error' in answer) throw new OAuthRefusal(answer.error, answer.description, login.again)
    return await login.complete(answer.code, authorization).catch((error: unknown) => {
      throw error instanceof OAuthRefusal ? error.to(login.again) : error
    })
  }
  const server = await startCallbackServer(login.port, async (query) => {
    const answer = readAnswer(query, authorization.state)
    if (answer) return take(answer).then(() => loggedInPage, failed)
    login.note('Refused a request to the callback address: it is not the answer to this login. Still waiting.')
    return strayPage
  })
  const authorization = newAuthorization({ ...login, redirectUri: server.redirectUri })
  const timer = setTimeout(() => reject(tooLate(login.again())), login.timeout)
  const onAbort = () => reject(login.signal.reason)
  login.signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (login.signal.aborted) onAbort()
    else await login.show(authorization.url)
    if (login.paste) listen(login, { authorization, take, over: over.signal }).catch(reject)
    return await promise
  } finally {
    clearTimeout(timer)
    over.abort()
    login.signal.removeEventListener('abort', onAbort)
    await server.close()
  }
}

interface Wait {
  readonly authorization: Authorization
  readonly take: (answer: AuthorizationAnswer) => Promise<void>
  /** Aborts when an answer arrives or the wait ends. */
  readonly over: AbortSignal
}

/** Asks at the terminal until the user pastes an answer or the browser delivers it. */
async function listen({ paste, note }: BrowserLogin<unknown>, { authorization, take, over }: Wait): Promise<void> {
  while (paste && !over.aborted) {
    const text = await paste(over).catch((error: unknown) => {
      if (over.aborted) return ''
      throw error
    })
    const answer = over.aborted ? null : readPasted(text, authorization.state)
    if (answer) return take(answer).catch(() => {})
    if (!over.aborted) note('That is not the answer to this login: paste the whole address that the browser went to.')
  }
}

/** Page that reports a failure; the details are shown at the terminal. */
const failed = (error: unknown) => failedPage(error instanceof CliError ? error.said : 'Something went wrong.')

function tooLate(again: LogIn): CliError {
  const message = 'No answer came from the browser in time, so you are not logged in.'
  return new CliError('unauthenticated', message, { ...again, reason: 'no_browser' })
}
