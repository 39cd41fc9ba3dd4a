import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command, Help } from 'commander'
import { globalHeading, globalOptions } from '../src/cli/global_options.ts'
import { environment } from '../src/cli/help_topics.ts'
import { createProgram, loadCommand, pathOf } from '../src/cli/program.ts'
import { RunContext } from '../src/cli/run_context.ts'
import { translated } from '../src/cli/spanish_help.ts'
import { root } from '../src/commands/index.ts'
import { exits } from '../src/errors/exit_codes.ts'
import type { Language } from '../src/run/invocation.ts'
import { version } from '../src/version.ts'
import { helpInSpanish } from '../src/words/spanish_help.ts'
import { inEnglish, type Translate } from '../src/words/text.ts'
import { printed } from './cli_reference.ts'

/** Date of the man pages. */
const written = '2026-11-22'

/** Section titles, and sentences that appear only in man pages. */
const headings = {
  en: {
    name: 'name',
    synopsis: 'synopsis',
    description: 'description',
    commands: 'commands',
    options: 'options',
    environment: 'environment',
    exitStatus: 'exit status',
    formats: 'formats',
    money: 'money',
    safety: 'safety',
    seeAlso: 'see also',
    summary: 'payments from the terminal',
  },
  es: {
    name: 'nombre',
    synopsis: 'sinopsis',
    description: 'descripción',
    commands: 'comandos',
    options: 'opciones',
    environment: 'entorno',
    exitStatus: 'código de salida',
    formats: 'formatos',
    money: 'dinero',
    safety: 'seguridad',
    seeAlso: 'véase también',
    summary: 'pagos desde la terminal',
  },
} as const

/**
 * Writes `payctl.1`, a page for each command group, such as `payctl-payments.1`, and the Spanish pages in `es/man1`.
 * Throws if package.json lists other pages, because npm installs the listed pages. npm can't install translated pages.
 */
export async function writeManPages(folder: string): Promise<void> {
  const pages = await manPages()
  writePages(pages, folder)
  writePages(await manPages('es'), join(folder, 'es/man1'))
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly man: readonly string[] }
  const names = Object.keys(pages).map((name) => `./dist/man/${name}`)
  const wrong = [...names.filter((name) => !man.includes(name)), ...man.filter((name) => !names.includes(name))]
  if (wrong.length > 0)
    throw new Error(
      `The list "man" in package.json and the commands differ (npm run docs writes it): ${wrong.join(', ')}`,
    )
}

function writePages(pages: Readonly<Record<string, string>>, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
}

/**
 * Man pages by file name, written with the macros of man(7). Spanish pages are Spanish throughout: a command group
 * whose help is partly in English has no Spanish page.
 */
export async function manPages(language: Language = 'en'): Promise<Readonly<Record<string, string>>> {
  const stream = () => new PassThrough()
  const io = { stdin: stream(), stdout: stream(), stderr: stream() }
  const context = new RunContext({ root, env: {}, io, signal: new AbortController().signal })
  const program = await createProgram(context)
  const pages: Record<string, string> = {}
  for (const command of [program, ...program.commands]) {
    if (command !== program) await loadAll(command, context)
    let isWhole = true
    const inSpanish = helpInSpanish(() => (isWhole = false))
    const writer = new PageWriter(language, language === 'es' ? inSpanish : inEnglish)
    const text = await (command === program ? writer.rootPage(program) : writer.commandPage(command))
    if (isWhole) pages[`${['payctl', ...pathOf(command)].join('-')}.1`] = text
  }
  return pages
}

async function loadAll(command: Command, context: RunContext): Promise<void> {
  await loadCommand(command, context)
  for (const child of command.commands) await loadAll(child, context)
}

/** Writes pages in one language. */
class PageWriter {
  readonly #language: Language
  readonly #translate: Translate

  constructor(language: Language, translate: Translate) {
    this.#language = language
    this.#translate = translate
  }

  async rootPage(program: Command): Promise<string> {
    const translate = this.#translate
    const helper = this.#helperFor(program)
    const commands = program.commands.map((command) =>
      term(`payctl-${command.name()}(1)`, helper.subcommandDescription(command)),
    )
    const topicPages = await Promise.all(
      (['formats', 'money', 'safety'] as const).map(async (name) =>
        this.#section(name, asIs(await this.#printed(['help', name, '-o', 'table']))),
      ),
    )
    const options = globalOptions.map((option) => term(helper.optionTerm(option), translate(option.description)))
    const variables = Object.entries(environment).map(([name, meaning]) => term(name, translate(meaning)))
    const codes = Object.values(exits).map(({ code, meaning }) => term(String(code), translate(meaning)))
    return this.#page('payctl', headings[this.#language].summary, [
      this.#section('synopsis', `${bold('payctl')} ${escaped(this.#usageOf(program))}`),
      this.#section('description', prose(helper.commandDescription(program))),
      this.#section('commands', commands.join('\n')),
      this.#section(
        'options',
        `${prose(`${translate('Options of every command, before or after its name')}.`)}\n${options.join('\n')}`,
      ),
      this.#section('environment', variables.join('\n')),
      this.#section('exitStatus', codes.join('\n')),
      ...topicPages,
      this.#section('seeAlso', program.commands.map((command) => escaped(`payctl-${command.name()}(1)`)).join(',\n')),
    ])
  }

  async commandPage(command: Command): Promise<string> {
    const below = descendants(command)
    const parts = await Promise.all(
      below.map(async (one) => `.SS ${escaped(`payctl ${pathOf(one).join(' ')}`)}\n${await this.#body(one)}`),
    )
    const summary = this.#helperFor(command).subcommandDescription(command)
    return this.#page(`payctl-${command.name()}`, sentence(summary), [
      this.#section('synopsis', this.#synopsis(command)),
      this.#section('description', await this.#body(command)),
      ...(parts.length > 0 ? [this.#section('commands', parts.join('\n'))] : []),
      this.#section('seeAlso', `${escaped('payctl(1)')}`),
    ])
  }

  /** Synopsis of a command, description, options and examples. */
  async #body(command: Command): Promise<string> {
    const helper = this.#helperFor(command)
    const own = helper
      .visibleOptions(command)
      .filter(({ helpGroupHeading, long }) => helpGroupHeading !== globalHeading && long !== '--help')
    const args = command.registeredArguments.filter(({ description }) => description)
    const [notes, lines] = await this.#textsOf(command)
    return [
      ...(command.parent?.parent ? [this.#synopsis(command), '.PP'] : []),
      prose(helper.commandDescription(command)),
      ...args.map((argument) => term(helper.argumentTerm(argument), helper.argumentDescription(argument))),
      ...own.map((option) => term(helper.optionTerm(option), helper.optionDescription(option))),
      ...notes.flatMap((note) => ['.PP', asIs(note)]),
      ...(lines.length > 0 ? ['.PP', `${this.#translate('Examples')}:`, '.PP', asIs(lines.join('\n'))] : []),
    ].join('\n')
  }

  /** Paragraphs and examples at the end of a command's help. */
  async #textsOf(command: Command): Promise<readonly [readonly string[], readonly string[]]> {
    const help = await this.#printed(['help', ...pathOf(command)])
    const [, end = ''] = help.split(`\n${this.#translate('Options of every command')}: payctl help options\n`)
    const [notes = '', examples = ''] = `\n${end}`.split(`\n${this.#translate('Examples')}:\n`)
    const lines = examples.split('\n').filter((line) => line.trim() !== '')
    return [notes.trim() === '' ? [] : notes.trim().split('\n\n'), lines]
  }

  #synopsis(command: Command): string {
    return `${bold(['payctl', ...pathOf(command)].join(' '))} ${escaped(this.#usageOf(command))}`
  }

  #usageOf(command: Command): string {
    const name = ['payctl', ...pathOf(command)].join(' ')
    return this.#helperFor(command)
      .commandUsage(command)
      .slice(name.length + 1)
  }

  #helperFor(command: Command): Help {
    return Object.assign(command.createHelp(), this.#language === 'es' && translated(this.#translate))
  }

  #printed(argv: readonly string[]): Promise<string> {
    return printed([...argv, '--lang', this.#language])
  }

  #page(name: string, summary: string, sections: readonly string[]): string {
    const title = `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 ${written} "payctl ${version}" "payctl"`
    return `${[title, this.#section('name', `${escaped(name)} \\- ${escaped(sentence(summary))}`), ...sections].join('\n')}\n`
  }

  #section(name: keyof (typeof headings)['en'], text: string): string {
    return `.SH ${escaped(headings[this.#language][name].toUpperCase())}\n${text}`
  }
}

const descendants = (command: Command): readonly Command[] =>
  command.commands.flatMap((child) => [child, ...descendants(child)])

/** A description in the form of the NAME section: without initial capital and full stop. */
const sentence = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

const term = (name: string, meaning: string): string => `.TP\n${bold(name)}\n${prose(meaning)}`

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`

/** Text that keeps its line breaks and columns. */
const asIs = (text: string): string => `.EX\n${text.split('\n').map(escaped).join('\n')}\n.EE`

/** Text that man fills, broken into readable source lines. */
const prose = (text: string): string => escaped(text.replace(/(?=.{79})(.{1,76}) +/g, '$1\n'))

/**
 * Escapes a text so that it contains no macros. Writes characters beyond ASCII by number, because not every man reads
 * UTF-8.
 */
function escaped(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/\s+$/, '')
  const ascii = plain.replace(
    /[^\x20-\x7e\n]/gu,
    (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
  return ascii.replace(/^([.'])/gm, '\\&$1')
}
