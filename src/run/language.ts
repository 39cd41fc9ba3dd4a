import { inEnglish, type Translate } from '../words/text.ts'
import type { Language } from './invocation.ts'
import { type LanguageSources, languageOf } from './locale.ts'

/** Commands that are translated completely, together with their subcommands. */
const translated = (
  'accounts alias audit auth completion config explain fx help iban init limits ' +
  'login logout lookup payees payments phone profiles status user'
).split(' ')

interface CommandSources extends LanguageSources {
  /**
   * Words that select the command, such as `payments` and `send`; undefined if the command line could not be parsed.
   */
  readonly path: readonly string[] | undefined
}

/** Language of a command's screens. */
export const languageOfCommand = ({ path: [group = ''] = [], ...sources }: CommandSources): Language =>
  translated.includes(group) ? languageOf(sources) : 'en'

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
