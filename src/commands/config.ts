import { command } from '../cli/command.ts'
import { nothing, object } from '../cli/prints.ts'
import { auditFile, configFile, credentialsFile, journalFile, limitsFile } from '../files/directories.ts'
import { columnsOf } from '../output/columns.ts'
import { grouped } from '../run/counts.ts'
import { say } from '../words/text.ts'

export const config = command({
  summary: 'Where payctl keeps its files and logins',
  examples: ['payctl config path', 'payctl config set credentials keyring'],
  commands: { path: () => path, set: () => set },
})

export interface Paths {
  readonly config: string
  readonly credentials: string
  readonly state: string
  readonly journal: string
  readonly limits: string
  readonly audit: string
}

const columns = columnsOf<Paths>('config', 'credentials', 'state', 'journal', 'limits', 'audit')

const path = command({
  summary: 'Print the path of the config file',
  about:
    'Print the path of the config file, even if the file does not exist yet. With --json or another data format, also ' +
    'print the paths of the credentials, the state folder, the journal of payments, the limits and the audit file. ' +
    'PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR name other folders.',
  prints: object(async () => (await import('./schema/machine_shapes.ts')).paths),
  examples: ['payctl config path', 'cat "$(payctl config path)"', 'payctl config path --json'],
  run(_, { configDir, stateDir, output }) {
    const paths: Paths = {
      config: configFile(configDir),
      credentials: credentialsFile(configDir),
      state: stateDir,
      journal: journalFile(stateDir),
      limits: limitsFile(configDir),
      audit: auditFile(stateDir),
    }
    const asData = output.format !== 'table' && output.format !== 'tsv'
    return asData ? output.record(paths, columns) : output.line(paths.config)
  },
})

const set = command({
  summary: 'Keep logins in the system’s keyring, or in a file',
  about:
    'Keep logins in the system’s keyring (Secret Service, Keychain, Credential Manager), or in a file that only you can ' +
    'read, which is the default. Moves the saved logins of all profiles. If the keyring can’t be used, the command fails ' +
    'and the logins stay where they are. A command that needs a login from a locked or missing keyring fails too: it ' +
    'never uses the file instead. Repeat the command to complete a move that was interrupted.',
  args: {
    '<name>': { about: 'the setting', choices: ['credentials'] },
    '<value>': { about: 'place for the logins', choices: ['file', 'keyring'] },
  },
  prints: nothing,
  examples: ['payctl config set credentials keyring', 'payctl config set credentials file'],
  async run({ value }, { configDir, output }) {
    const { moveCredentials } = await import('../auth/move_credentials.ts')
    const moved = await moveCredentials(configDir, value)
    const place = value === 'keyring' ? say`the system’s keyring` : credentialsFile(configDir)
    const logins = moved === 1 ? say`1 login` : say`${grouped(moved)} logins`
    output.note(say`Logins are now saved in ${place} (${logins}).`)
  },
})
