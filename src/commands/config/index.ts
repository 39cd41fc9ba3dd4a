import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

export const config: CommandModule = (command) => {
  command.description('Where payctl keeps its files.')
  examples(command, ['payctl config path'])
  return {
    path: {
      summary: 'Print the path of the config file',
      load: async () => (await import('./path.ts')).path,
    },
  }
}
