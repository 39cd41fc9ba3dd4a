import { command } from '../cli/command.ts'
import { object } from '../cli/prints.ts'

/** Every command, in the order of the help. A run loads only its own command. */
export const root = command({
  summary: 'Payments from the terminal: accounts, PIN and SINPE Móvil payments, and an offline emulator.',
  // The document that any failed command prints on stderr.
  prints: { error: object(async () => (await import('./schema/machine_shapes.ts')).error) },
  commands: {
    Money: {
      status: async () => (await import('./status.ts')).status,
      accounts: async () => (await import('./accounts.ts')).accounts,
      payments: async () => (await import('./payments/index.ts')).payments,
      payees: async () => (await import('./payees/index.ts')).payees,
    },
    Lookups: {
      phone: async () => (await import('./lookups.ts')).phone,
      iban: async () => (await import('./lookups.ts')).iban,
      lookup: async () => (await import('./lookups.ts')).lookup,
      fx: async () => (await import('./fx.ts')).fx,
      user: async () => (await import('./accounts.ts')).user,
    },
    Events: {
      webhooks: async () => (await import('./webhooks/index.ts')).webhooks,
    },
    Offline: {
      emulate: async () => (await import('./emulate/index.ts')).emulate,
      emulator: async () => (await import('./emulator/index.ts')).emulator,
    },
    Login: {
      init: async () => (await import('./init.ts')).init,
      login: async () => (await import('./login.ts')).login,
      logout: async () => (await import('./logout.ts')).logout,
      auth: async () => (await import('./auth.ts')).auth,
    },
    More: {
      profiles: async () => (await import('./profiles/index.ts')).profiles,
      limits: async () => (await import('./limits/index.ts')).limits,
      audit: async () => (await import('./audit.ts')).audit,
      config: async () => (await import('./config.ts')).config,
      doctor: async () => (await import('./doctor/index.ts')).doctor,
      explain: async () => (await import('./explain.ts')).explain,
      alias: async () => (await import('./alias.ts')).alias,
      completion: async () => (await import('./completion.ts')).completion,
      api: async () => (await import('./api.ts')).api,
      openapi: async () => (await import('./openapi.ts')).openapi,
      schema: async () => (await import('./schema.ts')).schema,
      help: async () => (await import('./help.ts')).help,
    },
  },
})
