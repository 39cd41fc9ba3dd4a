import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'

export const payments: CommandModule = (command) => {
  command.description('Send, check and follow payments.')
  examples(command, [
    'payctl payments send --from 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --to 8888-7777 --amount 1500.25',
    'payctl payments history --json',
    'payctl payments resume',
  ])
  return {
    send: {
      summary: 'Send a payment',
      load: async () => (await import('./send.ts')).send,
    },
    batch: {
      summary: 'Send the payments of a spreadsheet or CSV file',
      load: async () => (await import('./batch.ts')).batch,
    },
    validate: {
      summary: 'Check a payment and learn its fee',
      load: async () => (await import('./send.ts')).validate,
    },
    get: {
      summary: 'Show one payment',
      load: async () => (await import('./get.ts')).get,
    },
    watch: {
      summary: 'Print each status of a payment as it comes',
      load: async () => (await import('./get.ts')).watch,
    },
    history: {
      summary: 'List payments, newest first',
      load: async () => (await import('./history.ts')).history,
    },
    find: {
      summary: 'Find payments by a reference, key, name or description',
      load: async () => (await import('./find.ts')).find,
    },
    receipt: {
      summary: 'Print a proof of payment, as text or a page',
      load: async () => (await import('./receipt.ts')).receipt,
    },
    'service-status': {
      summary: 'Show whether PIN and SINPE Móvil are online',
      load: async () => (await import('./service_status.ts')).serviceStatus,
    },
    intents: {
      summary: 'List what this machine was asked to send, and what is known of it',
      load: async () => (await import('./intents.ts')).intents,
    },
    resume: {
      summary: 'Find out what became of a payment whose answer was lost',
      load: async () => (await import('./resume.ts')).resume,
    },
  }
}
