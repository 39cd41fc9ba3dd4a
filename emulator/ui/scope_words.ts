import type { Scope } from '../../src/contract/index.ts'

/** What a scope means to the person who grants it. */
export const scopeWords: Readonly<Record<Scope, { readonly title: string; readonly detail: string }>> = {
  'read-user': {
    title: 'See who you are',
    detail: 'Your name, your email address and when you joined.',
  },
  'read-accounts': {
    title: 'See your accounts',
    detail: 'Your IBANs, balances and transfers, and who holds another IBAN or phone number.',
  },
  'manage-accounts': {
    title: 'Open accounts',
    detail: 'New accounts in your name, in colones or dollars.',
  },
  'send-payments': {
    title: 'Send payments',
    detail: 'Money leaves your accounts without asking you again. Also your payment history and exchange rates.',
  },
  'manage-webhooks': {
    title: 'Set up notifications',
    detail: 'Every payment you make or receive is reported to an internet address the application picks.',
  },
}
