import { command } from '../../cli/command.ts'

export const payments = command({
  summary: 'Send, check and follow payments',
  about: 'Send, check and follow payments.',
  examples: [
    'payctl payments send --from 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --to 8888-7777 --amount 1500.25',
    'payctl payments history --json',
    'payctl payments resume',
  ],
  commands: {
    send: async () => (await import('./send.ts')).send,
    batch: async () => (await import('./batch.ts')).batch,
    validate: async () => (await import('./send.ts')).validate,
    get: async () => (await import('./get.ts')).get,
    watch: async () => (await import('./get.ts')).watch,
    history: async () => (await import('./history.ts')).history,
    find: async () => (await import('./find.ts')).find,
    receipt: async () => (await import('./receipt.ts')).receipt,
    'service-status': async () => (await import('./service_status.ts')).serviceStatus,
    outbox: async () => (await import('./outbox.ts')).outbox,
    resume: async () => (await import('./resume.ts')).resume,
  },
})
