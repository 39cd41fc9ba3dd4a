import type { Environment, Language } from './invocation.ts'

export interface LanguageSources {
  /** The flag `--lang`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** The profile's language. Called only if neither flag nor PAYCTL_LANG decides. */
  readonly ofProfile: () => string | undefined
}

/**
 * Takes the language from the flag, PAYCTL_LANG, the profile or the locale, in this order. Ignores the locale in a CI
 * job, because programs search its logs.
 */
export function languageOf({ flag, env, ofProfile }: LanguageSources): Language {
  const chosen = flag ?? env.PAYCTL_LANG ?? ofProfile()
  if (chosen !== undefined) return languageIn(chosen)
  if (env.CI !== undefined && env.CI !== 'false') return 'en'
  return languageIn(env.LC_ALL || env.LC_MESSAGES || env.LANG || 'C')
}

/** Spanish for `es`, `es_CR.UTF-8`, `es-CR` and the like; English for every other locale, such as C and POSIX. */
const languageIn = (locale: string): Language => (/^es([_.@-]|$)/i.test(locale) ? 'es' : 'en')
