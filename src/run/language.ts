import { inEnglish, type Translate } from '../words/text.ts'
import type { Environment, Language } from './invocation.ts'

/** Commands whose screens are all in the catalogues. */
const translated = [
  'payments send',
  'payments get',
  'payments batch',
  'payments batch list',
  'payments batch show',
  'payments batch retry',
  'payments resume',
  'payments outbox',
  'limits',
  'phone',
  'iban',
  'lookup',
  'help',
]

interface LanguageSources {
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

interface CommandSources extends LanguageSources {
  /** The command as its parents name it; undefined if the command line could not be parsed. */
  readonly path: readonly string[] | undefined
}

/** Language of a command's screens. */
export const languageOfCommand = ({ path = [], ...sources }: CommandSources): Language =>
  translated.includes(path.join(' ')) ? languageOf(sources) : 'en'

/** Loads the catalogue of a language; English loads nothing. */
export async function translatorOf(language: Language): Promise<Translate> {
  if (language === 'en') return inEnglish
  const { inSpanish } = await import('../words/spanish.ts')
  return (said) => inSpanish(said) ?? String(said)
}

/** Loads the help of a language; English loads nothing. */
export async function helpTranslatorOf(language: Language): Promise<Translate> {
  if (language === 'en') return inEnglish
  const { helpInSpanish } = await import('../words/spanish_help.ts')
  return helpInSpanish(() => {})
}
