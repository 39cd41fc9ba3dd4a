import { randomUUID } from 'node:crypto'

/** Mistakes that can be planted in the shop, by the name in SHOP_MISTAKE. */
export const mistakes = {
  'new-key': 'sends each attempt with another key',
  'key-in-memory': 'keeps the key in memory: the program that is started again has another',
  'description-time': 'writes the time into the description, and the description into the key',
  'wrong-status': 'takes a payment for failed as long as it is not completed, and pays again',
  'retry-on-409': 'checks the key of a lost payment, and takes the refusal of a used key for that of the payment',
  'refund-twice': 'refunds a credit each time that it hears of it',
  'answer-first': 'answers the bank, refunds then, and forgets of which credit',
} as const

type Mistake = keyof typeof mistakes

export const has = (...names: readonly Mistake[]): boolean => names.some((name) => process.env.SHOP_MISTAKE === name)

/** True for a program that does not know the key of the previous attempt. */
export const forgetsKeys = (): boolean => has('new-key', 'key-in-memory', 'description-time', 'wrong-status')

/** A payment with the key and the description that a program with a mistake sends at an attempt. */
export function mistaken<Call extends { readonly key?: string; readonly body?: object }>(
  call: Call,
  { now, memory }: { readonly now: number; readonly memory: string },
): Call {
  const { key, body } = call
  if (key === undefined) return call
  if (has('new-key')) return { ...call, key: `${key}.${randomUUID()}` }
  if (has('key-in-memory')) return { ...call, key: `${key}.${memory}` }
  if (!has('description-time')) return call
  const time = new Date(now).toISOString().slice(11, 19)
  const description = `${(body as { readonly description?: string }).description} ${time}`
  return { ...call, key: `${key}.${time.replaceAll(':', '')}`, body: { ...body, description } }
}
