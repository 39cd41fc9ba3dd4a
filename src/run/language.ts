import { inEnglish, type Translate } from '../words/text.ts'
import type { Language } from './invocation.ts'
import { type LanguageSources, languageOf } from './locale.ts'

/** Commands that are always in English, like their subcommands: control of the emulator, and tools for developers. */
const english = 'api doctor emulate emulator openapi schema webhooks'.split(' ')

interface CommandSources extends LanguageSources {
  /**
   * Words that select the command, such as `payments` and `send`; undefined if the command line could not be parsed.
   */
  readonly path: readonly string[] | undefined
}

/** Language of a command's screens. */
export const languageOfCommand = ({ path: [group] = [], ...sources }: CommandSources): Language =>
  group === undefined || english.includes(group) ? 'en' : languageOf(sources)

/** Loads the catalogue of a language; for English, loads nothing. */
export async function translatorOf(language: Language): Promise<Translate> {
  if (language === 'en') return inEnglish
  const { inSpanish } = await import('../words/spanish.ts')
  return (said) => inSpanish(said) ?? String(said)
}

/** Loads the help of a language; for English, loads nothing. */
export async function helpTranslatorOf(language: Language): Promise<Translate> {
  if (language === 'en') return inEnglish
  const { helpInSpanish } = await import('../words/spanish_help.ts')
  return helpInSpanish(() => {})
}
