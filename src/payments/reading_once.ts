import type { Client } from '../client/client.ts'
import { type Account, type AnswerOf, isNamed } from '../client/received.ts'
import { monotonicClock } from '../real_time.ts'

/** Milliseconds after which an account or holder is requested again: a person may have spent this time typing. */
const lifetime = 10_000

type Call = (id: string, input?: { readonly params?: Readonly<Record<string, unknown>> }) => Promise<unknown>

const readOnce: readonly string[] = ['accounts.get', 'iban.information', 'phone.information']

/**
 * A client that requests each account and each holder once for a payment's question, however many checks need it.
 * `listed`: the account to read, if a list of accounts has already returned it.
 */
export function readingOnce(client: Client, listed?: Promise<Account | undefined>): Client {
  const answers = new Map<string, { readonly answer: Promise<unknown>; readonly at: number }>()
  const request = client.call as Call
  const remember = (key: string, answer: Promise<unknown>) => {
    answers.set(key, { answer, at: monotonicClock() })
    return answer
  }
  const list: Call = async (id, input) => {
    const page = await request(id, input)
    for (const account of (page as AnswerOf<'accounts.list'>).data.filter(isNamed)) {
      remember(keyOf('accounts.get', { id: account.id }), Promise.resolve(account))
    }
    return page
  }
  const readFirst: Call = async (id, input) => {
    const account = id === 'accounts.get' ? await listed?.catch(() => undefined) : undefined
    return account && account.id === input?.params?.id ? account : request(id, input)
  }
  const call: Call = (id, input) => {
    if (id === 'accounts.list') return list(id, input)
    if (!readOnce.includes(id)) return request(id, input)
    const key = keyOf(id, input?.params)
    const known = answers.get(key)
    if (known && monotonicClock() - known.at < lifetime) return known.answer
    // Only the first read may use the list's data: a read after the lifetime needs newer data.
    return remember(key, known ? request(id, input) : readFirst(id, input))
  }
  return { ...client, call: call as Client['call'] }
}

const keyOf = (...request: readonly unknown[]): string => JSON.stringify(request)
