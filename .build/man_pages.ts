import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { globalHeading, globalOptions } from '../src/cli/global_options.ts'
import { environment, topics } from '../src/cli/help_topics.ts'
import { createProgram, loadCommand } from '../src/cli/program.ts'
import { RunContext } from '../src/cli/run_context.ts'
import { root } from '../src/commands/index.ts'
import { exits } from '../src/errors/exit_codes.ts'
import { version } from '../src/version.ts'
import { helpOn, printed } from './cli_reference.ts'

/** Date of the man pages. */
const written = '2026-11-22'

/**
 * Writes `payctl.1` and a page for each command group, such as `payctl-payments.1`. Throws if package.json names other
 * pages, because npm installs the pages that it names.
 */
export async function writeManPages(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const pages = await manPages()
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly man: readonly string[] }
  const names = Object.keys(pages).map((name) => `./dist/man/${name}`)
  const wrong = [...names.filter((name) => !man.includes(name)), ...man.filter((name) => !names.includes(name))]
  if (wrong.length > 0)
    throw new Error(
      `The list "man" in package.json and the commands differ (npm run docs writes it): ${wrong.join(', ')}`,
    )
}

/** Pages by file name, in the macros of man(7). */
export async function manPages(): Promise<Readonly<Record<string, string>>> {
  const stream = () => new PassThrough()
  const io = { stdin: stream(), stdout: stream(), stderr: stream() }
  const context = new RunContext({ root, env: {}, io, signal: new AbortController().signal })
  const program = await createProgram(context)
  const pages: Record<string, string> = { 'payctl.1': await rootPage(program) }
  for (const command of program.commands) {
    await loadAll(command, context)
    pages[`payctl-${command.name()}.1`] = await commandPage(command)
  }
  return pages
}

async function loadAll(command: Command, context: RunContext): Promise<void> {
  await loadCommand(command, context)
  for (const child of command.commands) await loadAll(child, context)
}

async function rootPage(program: Command): Promise<string> {
  const commands = program.commands.map((command) =>
    term(`payctl-${command.name()}(1)`, command.summary() || command.description()),
  )
  const pagesOfText = ['formats', 'money', 'safety'].filter((name) => Object.hasOwn(topics, name))
  const sections = await Promise.all(
    pagesOfText.map(async (name) => section(name, asIs(await printed(['help', name, '-o', 'table'])))),
  )
  return page('payctl', 'payments from the terminal', [
    section('synopsis', `${bold('payctl')} ${escaped('<command> [options]')}`),
    section('description', prose(program.description())),
    section('commands', commands.join('\n')),
    section(
      'options',
      `Options of every command, before or after its name.\n${globalOptions.map(({ flags, description }) => term(flags, description)).join('\n')}`,
    ),
    section(
      'environment',
      Object.entries(environment)
        .map(([name, meaning]) => term(name, meaning))
        .join('\n'),
    ),
    section(
      'exit status',
      Object.values(exits)
        .map(({ code, meaning }) => term(String(code), meaning))
        .join('\n'),
    ),
    ...sections,
    section('see also', program.commands.map((command) => escaped(`payctl-${command.name()}(1)`)).join(',\n')),
  ])
}

async function commandPage(command: Command): Promise<string> {
  const below = descendants(command)
  const parts = await Promise.all(below.map(async (one) => `.SS ${escaped(pathOf(one).join(' '))}\n${await body(one)}`))
  return page(`payctl-${command.name()}`, sentence(command.summary() || command.description()), [
    section('synopsis', synopsis(command)),
    section('description', await body(command)),
    ...(parts.length > 0 ? [section('commands', parts.join('\n'))] : []),
    section('see also', `${escaped('payctl(1)')}`),
  ])
}

const descendants = (command: Command): readonly Command[] =>
  command.commands.flatMap((child) => [child, ...descendants(child)])

const pathOf = (command: Command): string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [command.name()]

const synopsis = (command: Command): string => `${bold(pathOf(command).join(' '))} ${escaped(command.usage())}`

/** Synopsis of a command, description, options and examples. */
async function body(command: Command): Promise<string> {
  const helper = command.createHelp()
  const own = helper
    .visibleOptions(command)
    .filter(({ helpGroupHeading, long }) => helpGroupHeading !== globalHeading && long !== '--help')
  const args = command.registeredArguments.filter(({ description }) => description)
  const [notes, lines] = await textsOf(command)
  return [
    ...(command.parent?.parent ? [synopsis(command), '.PP'] : []),
    prose(command.description()),
    ...args.map((argument) => term(argument.name(), argument.description)),
    ...own.map((option) => term(option.flags, helper.optionDescription(option))),
    ...notes.flatMap((note) => ['.PP', asIs(note)]),
    ...(lines.length > 0 ? ['.PP', 'Examples:', '.PP', asIs(lines.join('\n'))] : []),
  ].join('\n')
}

/** Paragraphs and examples at the end of a command's help. */
async function textsOf(command: Command): Promise<readonly [readonly string[], readonly string[]]> {
  const help = await helpOn(pathOf(command).slice(1))
  const [, end = ''] = help.split('\nOptions of every command: payctl help options\n')
  const [notes = '', examples = ''] = `\n${end}`.split('\nExamples:\n')
  const lines = examples.split('\n').filter((line) => line.trim() !== '')
  return [notes.trim() === '' ? [] : notes.trim().split('\n\n'), lines]
}

function page(name: string, summary: string, sections: readonly string[]): string {
  const title = `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 ${written} "payctl ${version}" "payctl"`
  return `${[title, section('name', `${escaped(name)} \\- ${escaped(sentence(summary))}`), ...sections].join('\n')}\n`
}

/** Form of the section NAME: no capital, no full stop. */
const sentence = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

const section = (title: string, text: string): string => `.SH ${title.toUpperCase()}\n${text}`

const term = (name: string, meaning: string): string => `.TP\n${bold(name)}\n${prose(meaning)}`

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`

/** Lines with fixed breaks and columns. */
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
