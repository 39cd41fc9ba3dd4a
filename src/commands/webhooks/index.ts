import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'

export const webhooks: CommandModule = (command) => {
  command.description(
    'Manage the subscriptions that deliver the events of your payments. Needs the scope manage-webhooks.',
  )
  examples(command, ['payctl webhooks list'])
  return {
    events: {
      summary: 'List what can be subscribed to',
      load: async () => (await import('./events.ts')).events,
    },
    list: {
      summary: 'List your subscriptions',
      load: async () => (await import('./list.ts')).list,
    },
    create: {
      summary: 'Subscribe a URL to events',
      load: async () => (await import('./create.ts')).create,
    },
    get: {
      summary: 'Show one subscription',
      load: async () => (await import('./get.ts')).get,
    },
    delete: {
      summary: 'Remove a subscription',
      load: async () => (await import('./delete.ts')).remove,
    },
    suspend: {
      summary: 'Stop deliveries for a while',
      load: async () => (await import('./suspend.ts')).suspend,
    },
    resume: {
      summary: 'Take deliveries up again',
      load: async () => (await import('./resume.ts')).resume,
    },
  }
}
