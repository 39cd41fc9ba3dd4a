import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'

export const profiles: CommandModule = (command) => {
  command.description(
    'Keep services by name, each with its URL, OAuth client and settings; never a token. A command uses the one that ' +
      'it names (-p), else PAYCTL_PROFILE, else the one chosen here with use, else default. With -p, PAYCTL_BASE_URL, ' +
      'PAYCTL_TOKEN and the like are left aside: they may be of another service.',
  )
  examples(command, [
    'payctl profiles set prod --base-url https://api.example.com',
    'payctl login -p prod',
    'payctl -p prod accounts list',
  ])
  return {
    list: {
      summary: 'List them, and which one is in use',
      load: async () => (await import('./choice.ts')).list,
    },
    use: {
      summary: 'Choose the one that commands use from now on',
      load: async () => (await import('./choice.ts')).use,
    },
    set: {
      summary: 'Make one, or change its values',
      load: async () => (await import('./set.ts')).set,
    },
    delete: {
      summary: 'Delete one, with its login',
      load: async () => (await import('./delete.ts')).remove,
    },
  }
}
