import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'

export const auth: CommandModule = (command) => {
  command.description('Show, print and renew what payctl is logged in with.')
  examples(command, ['payctl auth status', 'payctl auth token'])
  return {
    status: {
      summary: 'Show who is logged in, where, for what and until when',
      load: async () => (await import('./status.ts')).status,
    },
    token: {
      summary: 'Print the access token, for other tools',
      load: async () => (await import('./token.ts')).token,
    },
    refresh: {
      summary: 'Renew the login now',
      load: async () => (await import('./refresh.ts')).refresh,
    },
  }
}
