import { inEnglish, type Translate } from '../words/text.ts'
import type { Environment, Language } from './invocation.ts'

/** Commands whose screens are all in the catalogues. */
const translated = ['payments send', 'payments get']

interface LanguageSources {
  /** The command as its parents name it; undefined if the command line could not be parsed. */
  readonly path: readonly string[] | undefined
  /** The flag `--lang`. */
  readonly flag: string | undefined
  readonly env: Environment
  /** The profile's language. Called only if neither flag nor PAYCTL_LANG decides. */
  readonly ofProfile: () => string | undefined
}

/** Flag, PAYCTL_LANG, profile, then the locale. A CI job gets English unless it asks, because programs search its logs. */
function languageOf({ path = [], flag, env, ofProfile }: LanguageSources): Language {
  if (!translated.includes(path.join(' '))) return 'en'
  const chosen = flag ?? env.PAYCTL_LANG ?? ofProfile()
  if (chosen !== undefined) return languageIn(chosen)
  if (env.CI !== undefined && env.CI !== 'false') return 'en'
  return languageIn(env.LC_ALL || env.LC_MESSAGES || env.LANG || 'C')
}

/** `es`, `es_CR.UTF-8`, `es-CR`. Every other locale, with C and POSIX, means English. */
const languageIn = (locale: string): Language => (/^es([_.@-]|$)/i.test(locale) ? 'es' : 'en')

/** Loads the catalogue of the run's language; English loads nothing. */
export async function translatorOf(sources: LanguageSources): Promise<Translate> {
  if (languageOf(sources) === 'en') return inEnglish
  const { inSpanish } = await import('../words/spanish.ts')
  return (said) => inSpanish(said) ?? String(said)
}
