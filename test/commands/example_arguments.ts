import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { commandPaths, helpOn } from '../../.build/cli_reference.ts'

const paths = await commandPaths()

/** Runs the tests of a file in a separate folder, because an example may write to a file in the current folder. */
export function useSeparateFolder(): void {
  const start = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'payctl-examples-'))
  beforeAll(() => process.chdir(folder))
  afterAll(() => {
    process.chdir(start)
    rmSync(folder, { recursive: true, force: true })
  })
}

/** The names of all commands and groups: `accounts get`. */
export const commandNames: readonly string[] = paths.map((path) => path.join(' '))

/** True if a name is a group, which may also be a command. */
export const isGroup = (name: string): boolean => commandNames.some((other) => other.startsWith(`${name} `))

/** Ids to use instead of the ids in the examples, by the first word of a command. */
export type Ids = Readonly<Record<string, string | undefined>>

/** Arguments after a command's name in the first example of its help, with an id that exists. */
export async function exampleArguments(name: string, ids: Ids): Promise<readonly string[]> {
  const help = (await helpOn(name.split(' '))).replace(/ \\\n +/g, ' ')
  const [, line = ''] = /^Examples:\n {2}\$ (.*)$/m.exec(help) ?? []
  const start = `payctl ${name}`
  if (line !== start && !line.startsWith(`${start} `)) return []
  const words = line.slice(start.length).match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  const id = ids[name.split(' ')[0] ?? '']
  return words.map((word) => word.replace(/^['"]|['"]$/g, '').replace(uuid, id ?? '$&'))
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
