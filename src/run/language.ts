import type { Said } from '../words/text.ts'
import type { Environment } from './invocation.ts'

export const languages = ['en', 'es'] as const

/** Language of what a person reads. JSON, codes, flags, commands and the notation of amounts are the same in all. */
export type Language = (typeof languages)[number]

/** Says a message in the language of the run. */
export type Translate = (said: Said) => string

/** English needs no catalogue. */
export const inEnglish: Translate = String

interface LanguageSources {
  /** The flag `--lang`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** The profile's language. Called only if neither flag nor PAYCTL_LANG decides. */
  readonly ofProfile: () => string | undefined
}

/** Flag, PAYCTL_LANG, profile, then the locale. A CI job gets English unless it asks, because programs search its logs. */
export function languageOf({ flag, env, ofProfile }: LanguageSources): Language {
  const chosen = flag ?? env.PAYCTL_LANG ?? ofProfile()
  if (chosen !== undefined) return languageIn(chosen)
  if (env.CI !== undefined && env.CI !== 'false') return 'en'
  return languageIn(env.LC_ALL ?? env.LC_MESSAGES ?? env.LANG ?? 'C')
}

/** `es`, `es_CR.UTF-8`, `es-CR`. Every other locale, with C and POSIX, means English. */
const languageIn = (locale: string): Language => (/^es([_.@-]|$)/i.test(locale) ? 'es' : 'en')

/** Loads the catalogue of a language; English loads nothing. */
export async function translatorOf(language: Language): Promise<Translate> {
  if (language === 'en') return inEnglish
  const { inSpanish } = await import('../words/spanish.ts')
  return (said) => inSpanish(said) ?? String(said)
}
