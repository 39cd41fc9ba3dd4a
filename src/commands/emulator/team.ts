import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { teamKeyNamePattern, teamNamePattern } from '../../contract/team_names.ts'
import { errorMessage, UsageError } from '../../errors/cli_error.ts'
import { fileFault } from '../../files/file_fault.ts'
import { columnsOf } from '../../output/columns.ts'

function teamName(text: string): string {
  if (new RegExp(teamNamePattern).test(text)) return text
  throw new InvalidArgumentError('Give 1 to 31 lower case letters, digits, dashes and underscores.')
}

function keyName(text: string): string {
  if (new RegExp(teamKeyNamePattern).test(text)) return text
  throw new InvalidArgumentError('Give 1 to 63 letters, digits, dots, dashes and underscores.')
}

const key = command({
  summary: 'Make a key for a team, show it once, and add its digest to the teams file',
  about:
    'Make a key for a team. The key is shown once: the teams file has only its digest. A running emulator reads the file ' +
    'again within a second. To revoke the key, remove its line from the file.',
  args: {
    '<team>': { about: 'name of the team; a new team is added to the file', parse: teamName },
    '[name]': { about: 'name of the key, for the audit log (default: k1, k2, ...)', parse: keyName },
  },
  flags: {
    '--teams <file>': { about: 'the teams file that payctl emulate --teams reads', of: 'file', required: true },
  },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).teamKey),
  examples: [
    'payctl emulator team key payments --teams teams.yaml',
    'payctl emulator team key payments laptop-of-ana --teams teams.yaml',
  ],
  async run({ team, name: given, teams: file }, context) {
    const document = await documentIn(file, ['teams', team, 'keys'])
    const known = document.getIn(['teams', team, 'keys']) as { items?: readonly { key: unknown }[] } | undefined
    const names = new Set(known?.items?.map(({ key }) => String(key)))
    const name =
      given ?? `k${Array.from(names, (_, at) => at + 1).find((at) => !names.has(`k${at}`)) ?? names.size + 1}`
    if (names.has(name)) throw new UsageError(`The team ${team} has a key ${name}.`, 'Give the new key another name.')
    const secret = `${team}.${randomBytes(32).toString('base64url')}`
    document.setIn(['teams', team, 'keys', name], createHash('sha256').update(secret).digest('hex'))
    try {
      // Writes in place, which preserves the owner: the file may belong to the user that the emulator runs as.
      writeFileSync(file, document.toString({ lineWidth: 0 }), { mode: 0o600 })
    } catch (error) {
      throw new UsageError(`${file} can’t be written: ${fileFault(error)}.`, 'Name a file that you can write to.')
    }
    const made = { team, name, key: secret }
    await context.output.record(made, columnsOf<typeof made>('team', 'name', 'key'))
    context.output.note(`Save the key now: it is not shown again. ${file} has only its digest.`)
  },
})

/**
 * The YAML document in a file, with its comments; an empty document for a new file. `path`: names that lead to the
 * mapping that the caller changes.
 */
async function documentIn(file: string, path: readonly string[]) {
  const { isMap, isScalar, parseDocument } = await import('yaml')
  try {
    const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : 'teams: {}\n')
    const [fault] = document.errors
    // The first line says what is wrong and where; the other lines quote the file.
    if (fault) throw new Error(fault.message.split(':\n', 1)[0])
    for (let depth = 0; depth <= path.length; depth += 1) {
      const names = path.slice(0, depth)
      const node = document.getIn(names, true)
      if (node === undefined || node === null) break
      if (isScalar(node) && node.value === null) document.setIn(names, document.createNode({}))
      else if (!isMap(node)) throw new Error(`${names.join('.') || 'The file'} must be a mapping.`)
      else if (node.items.length === 0) node.flow = false
    }
    return document
  } catch (error) {
    throw new UsageError(`${file} can’t be read: ${errorMessage(error)}`, 'Name a YAML teams file, or a new file.')
  }
}

export const team = command({
  summary: 'Give teams keys to an emulator that they share',
  about: 'Give teams keys to an emulator that they share: payctl emulate --teams.',
  examples: ['payctl emulator team key payments --teams teams.yaml'],
  commands: { key: () => key },
})
