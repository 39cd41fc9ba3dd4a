import type { CommandModule } from '../context.ts'

export const config: CommandModule = (command) => {
  command.description('Where payctl keeps its files.')
  return {
    path: {
      summary: 'Print the path of the config file',
      load: async () => (await import('./path.ts')).path,
    },
  }
}
