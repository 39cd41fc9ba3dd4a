import { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import type { Environment } from '../run/invocation.ts'
import { foreign, say } from '../words/text.ts'
import type { Context } from './command.ts'
import { standardInput } from './standard_input.ts'

/** Maximum length of a secret, in bytes. The limit is high because some tokens contain all their claims. */
const longest = 16 * 1024

/** Reads a secret from stdin. `name`: name of the secret in messages. */
export async function secretFromInput(context: Context, name: string): Promise<string> {
  if (context.io.stdin.isTTY) throw visible(name)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of standardInput(context)) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > longest) throw tooLong(name)
    chunks.push(bytes)
  }
  return checkedSecret(Buffer.concat(chunks).toString(), name)
}

export async function secretFromFile(file: string, name: string): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const bytes = await readFile(file).catch((error: Error) => {
    throw new UsageError(
      say`${foreign(name)} can't be read: ${fileFault(error)}.`,
      'Give a file that holds only the secret',
    )
  })
  if (bytes.length > longest) throw tooLong(name)
  return checkedSecret(bytes.toString(), name)
}

/** The secret in a variable, or in the file that `<variable>_FILE` names: containers often receive secrets as files. */
export async function secretFromEnvironment(env: Environment, variable: string): Promise<string | undefined> {
  const { [variable]: secret, [fileVariable(variable)]: file } = env
  if (secret !== undefined && file !== undefined) {
    throw new UsageError(say`${variable} and ${fileVariable(variable)} are both set.`, say`Unset ${variable}`)
  }
  if (file !== undefined) return await secretFromFile(file, fileVariable(variable))
  return secret === undefined ? undefined : checkedSecret(secret, variable)
}

export const fileVariable = (variable: string): string => `${variable}_FILE`

/** Checks a secret, and removes the line end that editors and `echo` add. Error messages never show the secret. */
export function checkedSecret(text: string, name: string): string {
  const secret = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '')
  const hint = 'Give the secret alone, without quotes or a name before it'
  if (secret.trim() === '') throw new UsageError(say`${foreign(name)} is empty.`, hint)
  if (secret.length > longest) throw tooLong(name)
  if (/^bearer /i.test(secret)) throw new UsageError(say`${foreign(name)} begins with Bearer.`, 'Leave that word out')
  if (/^(["']).*\1$/.test(secret)) throw new UsageError(say`${foreign(name)} has quotes around it.`, 'Leave them out')
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new UsageError(
      say`${foreign(name)} has spaces, line breaks or other characters that a secret can't have.`,
      hint,
    )
  }
  return secret
}

const visible = (name: string): UsageError =>
  new UsageError(
    say`${foreign(name)} should come on stdin, but stdin is a terminal, which would show the secret while it is typed.`,
    'Give the secret from a file or a pipe: < secret.txt. payctl asks for it, hidden, if stderr is a terminal too',
  )

const tooLong = (name: string): UsageError =>
  new UsageError(
    say`${foreign(name)} has more than ${longest / 1024} KiB, which is too long for a secret.`,
    'Give only the secret',
  )
