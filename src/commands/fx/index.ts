import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

export const fx: CommandModule = (command) => {
  command.description('Exchange rates, in colones for a dollar.')
  examples(command, ['payctl fx rates', 'payctl fx upstream --json'])
  return {
    rates: {
      summary: 'What the service pays and takes for a dollar',
      load: async () => (await import('./rates.ts')).rates,
    },
    upstream: {
      summary: 'The same rates as their provider reports them, without the service’s spread',
      load: async () => (await import('./upstream.ts')).upstream,
    },
  }
}
