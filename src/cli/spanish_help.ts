import type { EventEmitter } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import type { Argument, Command, HelpConfiguration, Option } from 'commander'
import { whollyInSpanish } from '../words/spanish_help.ts'
import type { Translate } from '../words/text.ts'
import { PayctlHelp } from './help.ts'

// Only Spanish help loads this file.

/** Help on a command in Spanish; undefined if part of the help has no translation. */
export const spanishHelp = (command: Command, isError: boolean): string | undefined =>
  whollyInSpanish((translate) => translatedHelp(command, translate, isError))

/** Help on a command, with all its texts translated. */
export function translatedHelp(command: Command, translate: Translate, isError = false): string {
  let text = command.configureHelp(translated(translate)).helpInformation({ error: isError })
  const isPlain = stripVTControlCharacters(text) === text
  const write = (ending: string) => {
    const shown = translatedEnding(ending, translate)
    text += isPlain ? stripVTControlCharacters(shown) : shown
  }
  const events = command.configureHelp({}) as Command & EventEmitter
  events.emit('afterHelp', { error: isError, command, write })
  return text
}

/** Translates the end of a help screen: notes, examples, or the commands that print more help. */
function translatedEnding(ending: string, translate: Translate): string {
  const [, start = '', text = '', end = ''] = /^(\n*)(.*?)(\n*)$/s.exec(ending) ?? []
  const withMoreHelp = text.replace(/^[A-Z][\w ]+(?=: payctl help )/gm, (words) => translate(words))
  return start + (withMoreHelp === text ? translate(text) : withMoreHelp) + end
}

/** Options of commander that translate the parts of a help screen. */
export function translated(translate: Translate): HelpConfiguration {
  const help = new PayctlHelp()
  /** Translates the placeholders of a usage or flag: `<file>`, `[options]`. */
  const withPlaceholders = (term: string) => term.replace(/(?<=[<[])[a-z][\w |,-]*/gi, (name) => translate(name))
  const withDescription = <One extends Option | Argument>(one: One): One => {
    const lines = one.description.split('\n').map((line) => line && translate(line))
    return Object.assign(Object.create(one), { description: lines.join('\n') })
  }
  /** Translates the words that commander adds to a description. */
  const withDefault = (description: string) =>
    description.replace(/(?<=[(,] ?)default(?=: )|(?<=\()one of(?= )/g, (words) => translate(words))
  return {
    styleTitle: (title) => help.styleTitle(`${translate(title.slice(0, -1))}:`),
    commandUsage: (command) => withPlaceholders(help.commandUsage(command)),
    commandDescription: (command) => translate(help.commandDescription(command)),
    subcommandTerm: (command) => withPlaceholders(help.subcommandTerm(command)),
    subcommandDescription: (command) => translate(help.subcommandDescription(command)),
    optionTerm: (option) => withPlaceholders(help.optionTerm(option)),
    optionDescription: (option) => withDefault(help.optionDescription(withDescription(option))),
    argumentTerm: (argument) => translate(help.argumentTerm(argument)),
    argumentDescription: (argument) => withDefault(help.argumentDescription(withDescription(argument))),
  }
}
