import { command } from '../cli/command.ts'
import { object } from '../cli/prints.ts'
import { auditFile, configFile, credentialsFile, journalFile, limitsFile } from '../files/directories.ts'
import { columnsOf } from '../output/columns.ts'

export const config = command({
  summary: 'Where payctl keeps its files',
  examples: ['payctl config path'],
  commands: { path: () => path },
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
    'Print the path of the config file, even if the file does not exist yet. With --json, also print the paths of ' +
    'the credentials, the state folder, the journal of payments, the limits and the audit file. ' +
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
