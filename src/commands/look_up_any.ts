import type { Context } from '../cli/command.ts'
import { withHint } from '../cli/next_step.ts'
import { reporterOf } from '../cli/reporter.ts'
import { payeeNames } from '../cli/saved_payees.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { toRun } from '../errors/next_step.ts'
import { areValues } from '../lookups/word_groups.ts'
import { say } from '../words/text.ts'
import { isFile, lookUpValues } from './look_up_values.ts'
import type { LookupFlags } from './lookups.ts'

/** Looks up the values or the spreadsheet in the arguments. Without arguments, asks at a terminal or reads stdin. */
export async function lookUpAny(words: readonly string[], flags: LookupFlags, context: Context): Promise<void> {
  const { file } = flags
  if (file !== undefined) {
    if (words.length > 0) throw new UsageError('--file and arguments both name values.', 'Give one of them')
    return lookUpSheet(file, flags, context)
  }
  if (words.length > 0) return lookUpWords(words, flags, context)
  requireNoSheetFlags(flags)
  if (context.interactive) return askAgain(flags, context)
  await lookUpValues('any', { texts: [], file: undefined, concurrency: flags.concurrency }, context)
}

async function lookUpSheet(file: string, flags: LookupFlags, context: Context): Promise<void> {
  const sheet = await import('./look_up_sheet.ts')
  await sheet.lookUpSheet({ ...flags, file }, context)
}

/** Refuses a file together with values, and more than one file. */
async function lookUpWords(words: readonly string[], flags: LookupFlags, context: Context): Promise<void> {
  const isName = payeeNames(context)
  const path = words.join(' ')
  if (isFile(path)) {
    if (!areValues(words, isName)) return lookUpSheet(path, flags, context)
    const shown = `'${path}'`
    throw new UsageError(
      isName(path)
        ? say`${shown} is a file here, and also a saved payee: to look up the payee, use the phone or iban command.`
        : say`${shown} is a file here, and also a phone or an IBAN: to look up the value, use the phone or iban command.`,
      toRun(['lookup', '--file', path], 'For the file'),
    )
  }
  const file = words.find((word) => isFileName(word) && !areValues([word], isName))
  if (file !== undefined) throw noSingleFile(file, words)
  requireNoSheetFlags(flags)
  await lookUpValues('any', { texts: words, file: undefined, concurrency: flags.concurrency }, context)
}

/** True for an existing file, a path, or a name with an extension. */
const isFileName = (word: string): boolean => isFile(word) || /[/\\]|\.[a-z]{2,4}$/i.test(word)

function noSingleFile(file: string, words: readonly string[]): UsageError {
  if (!isFile(file)) return new UsageError(say`File ${file} does not exist.`, 'Name a spreadsheet, or phones and IBANs')
  const others = words.filter((word) => word !== file).join(' ')
  return new UsageError(say`${file} is a file, and ${others} is not part of its name.`, toRun(['lookup', file]))
}

/** Flags that need a spreadsheet. */
const sheetFlags = {
  column: '--column',
  name: '--name',
  document: '--document',
  sheet: '--sheet',
  outputFile: '--output-file',
  force: '--force',
} as const

function requireNoSheetFlags(flags: LookupFlags): void {
  const given = Object.entries(sheetFlags).find(([name]) => flags[name as keyof typeof sheetFlags] !== undefined)
  const flag = given?.[1] ?? (flags.header ? undefined : '--no-header')
  if (flag === undefined) return
  throw new UsageError(
    say`${flag} is for a spreadsheet, but no spreadsheet is named.`,
    toRun(['lookup', '<file>', flag, '...']),
  )
}

/** Looks up each line until an empty line. An invalid line does not end the command. */
async function askAgain(flags: LookupFlags, context: Context): Promise<void> {
  const { askLines } = await import('../cli/prompts.ts')
  const { fact } = reporterOf(context)
  for await (const line of askLines('Phone, IBAN or file (Enter ends):', context)) {
    const [, , path] = /^(['"])(.+)\1$/.exec(line) ?? []
    const words = path === undefined ? line.split(/\s+/) : [path]
    try {
      await lookUpWords(words, flags, context)
    } catch (error) {
      // A list or a file with invalid values ends with a CliError.
      if (!(error instanceof CliError && error.exit === 'usage')) throw error
      // The user can't type flags here.
      const next =
        error.next?.kind === 'replace_file' ? toRun(['lookup', ...words, '--force'], 'To replace it') : error.next
      const said = error.saidHint ? say`${error.said} ${error.saidHint}` : error.said
      fact(withHint(said, next, context.globals, context.translate))
    }
  }
  context.exitWith(exits.done.code)
}
