import type { CommandModule, Context } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { configFile } from '../config/config_file.ts'
import { auditFile, credentialsFile, journalFile, limitsFile } from '../files/directories.ts'
import { field } from '../output/columns.ts'
import type { Column } from '../output/output.ts'

export const config: CommandModule = (command) => {
  command.description('Where payctl keeps its files.')
  examples(command, ['payctl config path'])
  return {
    path: {
      summary: 'Print the path of the config file',
      load: () => path,
    },
  }
}

export interface Paths {
  readonly config: string
  readonly credentials: string
  readonly state: string
  readonly journal: string
  readonly limits: string
  readonly audit: string
}

const columns: readonly Column<Paths>[] = [
  field('config', ({ config }) => config),
  field('credentials', ({ credentials }) => credentials),
  field('state', ({ state }) => state),
  field('journal', ({ journal }) => journal),
  field('limits', ({ limits }) => limits),
  field('audit', ({ audit }) => audit),
]

const path: CommandModule = (command, context) => {
  command
    .description(
      'Print the path of the config file, whether or not there is one yet. As data (--json) also those of the ' +
        'credentials, of the state folder, of the journal of payments, of the limits and of the audit file. ' +
        'PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR name other folders.',
    )
    .action(async () => {
      const paths = pathsOf(context)
      const { output } = context
      const asData = output.format !== 'table' && output.format !== 'tsv'
      await (asData ? output.record(paths, columns) : output.line(paths.config))
    })
  examples(command, ['payctl config path', 'cat "$(payctl config path)"', 'payctl config path --json'])
}

const pathsOf = ({ configDir, stateDir }: Context): Paths => ({
  config: configFile(configDir),
  credentials: credentialsFile(configDir),
  state: stateDir,
  journal: journalFile(stateDir),
  limits: limitsFile(configDir),
  audit: auditFile(stateDir),
})
