import { effect, signal } from '@preact/signals'
import english from '../messages/en.json' with { type: 'json' }

export type MessageKey = keyof typeof english
type Messages = Readonly<Record<MessageKey, string>>

export type Language = 'en' | 'es'

const stored = 'payctl language'

function preferred(): Language {
  const chosen = localStorage.getItem(stored)
  if (chosen === 'en' || chosen === 'es') return chosen
  return navigator.languages.find((tag) => /^(en|es)\b/.test(tag))?.startsWith('es') ? 'es' : 'en'
}

/** Language of the page: the user's choice, or else the language of the browser. */
export const language = signal<Language>('en')

const messages = signal<Messages>(english)

async function setLanguage(next: Language): Promise<void> {
  messages.value = next === 'en' ? english : ((await import('../messages/es.json')).default as Messages)
  language.value = next
}

export function chooseLanguage(next: Language): Promise<void> {
  localStorage.setItem(stored, next)
  return setLanguage(next)
}

/** Loads the user's choice, or else the language of the browser; call this before the first rendering. */
export const startLanguage = (): Promise<void> => setLanguage(preferred())

effect(() => {
  document.documentElement.lang = language.value
})

type Values = Readonly<Record<string, string | number>>

/** A message in the page's language; `{name}` stands for a value. */
export function text(key: MessageKey, values: Values = {}): string {
  return messages.value[key].replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? number(value) : value
  })
}

/** The message of a key; undefined if the key does not exist. */
export const textIfAny = (key: string): string | undefined =>
  key in messages.value ? text(key as MessageKey) : undefined

type CountKey = MessageKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never

/** A message with a count, in singular or plural: keys that end in `.one` and `.other`. */
export function counted(key: CountKey, count: number, values: Values = {}): string {
  const form = new Intl.PluralRules(language.value).select(count) === 'one' ? 'one' : 'other'
  return text(`${key}.${form}` as MessageKey, { count, ...values })
}

export const number = (value: number): string => value.toLocaleString(localeOf())

/**
 * The locale of Costa Rica would separate groups of digits with spaces, but the service writes commas in both
 * languages.
 */
const localeOf = (): string => (language.value === 'es' ? 'es-MX' : 'en-GB')

/** Formats minor units with two decimals; a positive amount has a sign only if `signed` is set. */
export const amount = (minor: number, { signed = false } = {}): string =>
  new Intl.NumberFormat(localeOf(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    signDisplay: signed ? 'exceptZero' : 'negative',
  })
    .format(minor / 100)
    .replace('-', '\u2212')

/** Time of day in the browser's zone; the frame of the page shows the zone once. */
export function time(iso: string | null, { seconds = true, millis = false } = {}): string {
  if (iso === null) return ''
  return new Date(iso).toLocaleTimeString(localeOf(), {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    ...(millis && { fractionalSecondDigits: 3 }),
    hourCycle: 'h23',
  })
}

export const day = (iso: string): string =>
  new Date(iso).toLocaleDateString(localeOf(), { day: 'numeric', month: 'short', year: 'numeric' })

/** Name of the browser's zone, such as `UTC-6`. */
export function zone(): string {
  const minutes = -new Date().getTimezoneOffset()
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '\u2212' : '+'}${hours}${rest ? `:${rest}` : ''}`
}

/** A span of milliseconds in its two largest units: `1 d 4 h`, `12 s`, `340 ms`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const units: readonly [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ]
  const first = units.findIndex(([, size]) => ms >= size)
  let rest = ms
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? '' : `${number(count)} ${unit}`
  })
  return parts.filter(Boolean).join(' ')
}
