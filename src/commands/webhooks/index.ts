import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'

export const webhooks: CommandModule = (command) => {
  command.description(
    'Receive the events of your payments on this machine, and manage the subscriptions that deliver them. ' +
      'Needs the scope manage-webhooks.',
  )
  examples(command, [
    'payctl webhooks tail',
    'payctl webhooks tail --forward-to http://localhost:3000/hook',
    'payctl webhooks list',
  ])
  return {
    tail: {
      summary: 'Print events as they come; pass them on, or save them',
      load: async () => (await import('./tail.ts')).tail,
    },
    replay: {
      summary: 'Post saved deliveries again',
      load: async () => (await import('./replay.ts')).replay,
    },
    events: {
      summary: 'List what can be subscribed to',
      load: async () => (await import('./subscriptions.ts')).events,
    },
    list: {
      summary: 'List your subscriptions',
      load: async () => (await import('./subscriptions.ts')).list,
    },
    create: {
      summary: 'Subscribe a URL to events',
      load: async () => (await import('./create.ts')).create,
    },
    get: {
      summary: 'Show one subscription',
      load: async () => (await import('./subscriptions.ts')).get,
    },
    delete: {
      summary: 'Remove a subscription',
      load: async () => (await import('./subscriptions.ts')).remove,
    },
    suspend: {
      summary: 'Stop deliveries for a while',
      load: async () => (await import('./subscriptions.ts')).suspend,
    },
    resume: {
      summary: 'Take deliveries up again',
      load: async () => (await import('./subscriptions.ts')).resume,
    },
  }
}
