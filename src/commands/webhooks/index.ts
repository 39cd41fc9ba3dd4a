import { command } from '../../cli/command.ts'

export const webhooks = command({
  summary: 'Receive and forward events, manage subscriptions',
  about:
    'Receive the events of your payments on this machine, and manage the subscriptions that deliver them. ' +
    'Needs the scope manage-webhooks.',
  examples: [
    'payctl webhooks tail',
    'payctl webhooks tail --forward-to http://localhost:3000/hook',
    'payctl webhooks list',
  ],
  commands: {
    tail: async () => (await import('./tail.ts')).tail,
    replay: async () => (await import('./replay.ts')).replay,
    events: async () => (await import('./subscriptions.ts')).events,
    list: async () => (await import('./subscriptions.ts')).list,
    create: async () => (await import('./subscriptions.ts')).create,
    get: async () => (await import('./subscriptions.ts')).get,
    delete: async () => (await import('./subscriptions.ts')).remove,
    suspend: async () => (await import('./subscriptions.ts')).suspend,
    resume: async () => (await import('./subscriptions.ts')).resume,
  },
})
