import { inEnglish, type Translate } from '../words/text.ts'
import type { Language } from './invocation.ts'
import { type LanguageSources, languageOf } from './locale.ts'

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
