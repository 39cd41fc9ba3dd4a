import type { Request } from '../http/message.ts'
import { type Html, html } from './html.ts'
import english from './messages/en.json' with { type: 'json' }
import spanish from './messages/es.json' with { type: 'json' }

export type Language = 'en' | 'es'
export type MessageKey = keyof typeof english

const messages: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en: english, es: spanish }

/** A message in a language. */
export const textIn = (language: Language, key: MessageKey): string => messages[language][key]

/** A message as markup, with markup in place of each `{name}`. */
export function markupIn(language: Language, key: MessageKey, values: Readonly<Record<string, Html>>): readonly Html[] {
  return textIn(language, key)
    .split(/(\{\w+\})/)
    .map((part) => values[part.slice(1, -1)] ?? html`${part}`)
}

/** Query parameter that names a language for the page, as in OpenID Connect. */
const parameter = 'ui_locales'

/** Language of a page: the user's choice, or else the first of the browser's languages that the emulator supports. */
export function languageOf({ query, headers }: Pick<Request, 'query' | 'headers'>): Language {
  const chosen = (query as Readonly<Record<string, unknown>>)[parameter]
  const tags = `${typeof chosen === 'string' ? `${chosen},` : ''}${headers['accept-language'] ?? ''}`.toLowerCase()
  const known = tags.split(/[\s,]+/).find((tag) => /^(en|es)\b/.test(tag))
  return known?.startsWith('es') ? 'es' : 'en'
}

/** A link to the same page in the other language; `search` is the query of its URL. */
export function otherLanguage(language: Language, search: string): Html {
  const other = language === 'en' ? 'es' : 'en'
  const query = new URLSearchParams(search)
  query.set(parameter, other)
  return html`<a class="language" lang="${other}" hreflang="${other}" href="?${query.toString()}">${textIn(language, 'language.other')}</a>`
}
