import type { Entries } from './context.ts'

/** Every command by name, in the order of the help. Only the one asked for is loaded. */
export const commands: Entries = {
  accounts: {
    group: 'Money',
    summary: 'List and open accounts, read balances',
    load: async () => (await import('./accounts.ts')).accounts,
  },
  payments: {
    group: 'Money',
    summary: 'Send, check and follow payments',
    load: async () => (await import('./payments/index.ts')).payments,
  },
  payees: {
    group: 'Money',
    summary: 'Save payees by name, and send to them',
    load: async () => (await import('./payees/index.ts')).payees,
  },
  phone: {
    group: 'Lookups',
    summary: 'Who holds a phone number (SINPE Móvil)',
    load: async () => (await import('./lookups.ts')).phone,
  },
  iban: {
    group: 'Lookups',
    summary: 'Who holds an IBAN',
    load: async () => (await import('./lookups.ts')).iban,
  },
  lookup: {
    group: 'Lookups',
    summary: 'Add the holders to a spreadsheet of phones and IBANs',
    load: async () => (await import('./lookup.ts')).lookup,
  },
  fx: {
    group: 'Lookups',
    summary: 'Exchange rates, colones for a dollar',
    load: async () => (await import('./fx.ts')).fx,
  },
  user: {
    group: 'Lookups',
    summary: 'Who you are to the service',
    load: async () => (await import('./user.ts')).user,
  },
  webhooks: {
    group: 'Events',
    summary: 'Receive events here, pass them on, manage subscriptions',
    load: async () => (await import('./webhooks/index.ts')).webhooks,
  },
  emulate: {
    group: 'Offline',
    summary: 'Run the whole service on this machine',
    load: async () => (await import('./emulate.ts')).emulate,
  },
  emulator: {
    group: 'Offline',
    summary: 'Steer a running emulator: clock, rails, credits, reset',
    load: async () => (await import('./emulator/index.ts')).emulator,
  },
  login: {
    group: 'Login',
    summary: 'Log in in your browser, or with a token',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    group: 'Login',
    summary: 'Forget the login',
    load: async () => (await import('./logout.ts')).logout,
  },
  auth: {
    group: 'Login',
    summary: 'Show, print and renew the login',
    load: async () => (await import('./auth/index.ts')).auth,
  },
  profiles: {
    group: 'More',
    summary: 'Keep services by name, and choose one',
    load: async () => (await import('./profiles/index.ts')).profiles,
  },
  limits: {
    group: 'More',
    summary: 'What profiles may pay, and what is used up',
    load: async () => (await import('./limits/index.ts')).limits,
  },
  audit: {
    group: 'More',
    summary: 'What was asked of payctl, and who agreed',
    load: async () => (await import('./audit.ts')).audit,
  },
  config: {
    group: 'More',
    summary: 'Where payctl keeps its files',
    load: async () => (await import('./config.ts')).config,
  },
  doctor: {
    group: 'More',
    summary: 'Check what payctl depends on, and say what to do',
    load: async () => (await import('./doctor/index.ts')).doctor,
  },
  explain: {
    group: 'More',
    summary: 'What a code, status, IBAN or reference says, offline',
    load: async () => (await import('./explain.ts')).explain,
  },
  alias: {
    group: 'More',
    summary: 'Your own short forms of commands',
    load: async () => (await import('./alias.ts')).alias,
  },
  completion: {
    group: 'More',
    summary: 'Script that makes your shell complete payctl with Tab',
    load: async () => (await import('./completion/index.ts')).completion,
  },
  api: {
    group: 'More',
    summary: 'Call any endpoint, raw, or list them all',
    load: async () => (await import('./api.ts')).api,
  },
  openapi: {
    group: 'More',
    summary: 'Print the OpenAPI document of the service',
    load: async () => (await import('./openapi.ts')).openapi,
  },
  schema: {
    group: 'More',
    summary: 'JSON Schema of what a command prints',
    load: async () => (await import('./schema.ts')).schema,
  },
  help: {
    group: 'More',
    summary: 'Help on a command, or on a topic',
    load: async () => (await import('./help.ts')).help,
  },
}
