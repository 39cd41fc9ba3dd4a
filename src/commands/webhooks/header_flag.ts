import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { UsageError } from '../../errors/cli_error.ts'
import type { Context } from '../context.ts'

/** `value` is the value itself; `file` holds it, `-` being stdin. */
export interface HeaderFlag {
  readonly name: string
  readonly value?: string
  readonly file?: string
}

/** A parser of `Name: value` and `Name=@file`; repeated, the flag adds another. Its errors never repeat a value. */
export function headerFlag(text: string, before: readonly HeaderFlag[] = []): readonly HeaderFlag[] {
  const [, name = '', mark, rest = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*(:|=@)\s*(.*)$/s.exec(text) ?? []
  if (!name)
    throw new UsageError('A header is not in its form.', "Give it as --header 'Name: value', or --header Name=@file")
  if (mark === '=@' && rest === '')
    throw new UsageError(`The file of ${name} is missing.`, 'Name it: Name=@file, or Name=@- for stdin')
  const flag: HeaderFlag = mark === ':' ? { name, value: checked(name, rest.trim()) } : { name, file: rest }
  const other = before.find((known) => known.name.toLowerCase() === name.toLowerCase())
  if (other === undefined) return [...before, flag]
  // The command line is read twice: once to find the command.
  if (other.value === flag.value && other.file === flag.file) return before
  throw new UsageError(`The header ${name} is given twice.`, 'Leave one of them out.')
}

/** The headers with their values; the end of a file's last line is no part of its value. */
export async function readHeaders(flags: readonly HeaderFlag[], { io }: Context): Promise<Record<string, string>> {
  if (flags.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('Two headers are to be read from stdin.', 'Put one of them in a file: Name=@file')
  }
  const headers: [string, string][] = []
  for (const { name, value, file } of flags) {
    const text =
      value ?? (file === '-' ? await readAll(io.stdin) : await readFile(file ?? '', 'utf8').catch(unreadable(name)))
    headers.push([name, checked(name, text.replace(/\r?\n$/, ''))])
  }
  return Object.fromEntries(headers)
}

function checked(name: string, value: string): string {
  if (!/\p{Cc}/u.test(value)) return value
  throw new UsageError(`The value of ${name} has characters that a header cannot carry.`, 'It must be one line.')
}

const unreadable = (name: string) => (error: Error) => {
  throw new UsageError(`The value of ${name} could not be read: ${error.message}`, 'Give a file that exists.')
}
