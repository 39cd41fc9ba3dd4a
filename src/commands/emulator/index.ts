import { command } from '../../cli/command.ts'
import { controlFlags } from '../../cli/steer.ts'

export const emulator = command({
  summary: 'Steer a running emulator: clock, rails, credits, reset',
  about: 'Steer a running emulator: the newest, or the one that --emulator names.',
  flags: {
    '--control-token <token>': { ...controlFlags['--control-token <token>'], hidden: false, heading: 'Options' },
    '--world <world>': { ...controlFlags['--world <world>'], hidden: false, heading: 'Options' },
  },
  examples: ['payctl emulator clock advance 1h'],
  commands: {
    'Worlds and processes': {
      status: async () => (await import('./state.ts')).status,
      open: async () => (await import('./open.ts')).open,
      worlds: async () => (await import('./worlds.ts')).worlds,
      moments: async () => (await import('./moments.ts')).moments,
      reset: async () => (await import('./state.ts')).reset,
      snapshots: async () => (await import('./saved_worlds.ts')).snapshots,
      users: async () => (await import('./users.ts')).users,
      registry: async () => (await import('./registry.ts')).registry,
      list: async () => (await import('./running.ts')).list,
      stop: async () => (await import('./running.ts')).stop,
    },
    'Clock, money and faults': {
      clock: async () => (await import('./clock.ts')).clock,
      credit: async () => (await import('./credits.ts')).credit,
      payment: async () => (await import('./payments.ts')).payment,
      account: async () => (await import('./payments.ts')).account,
      rail: async () => (await import('./settings.ts')).rail,
      faults: async () => (await import('./faults.ts')).faults,
      chaos: async () => (await import('./faults.ts')).chaos,
    },
    'Requests and results': {
      wait: async () => (await import('./wait.ts')).wait,
      watch: async () => (await import('./watch.ts')).watch,
      requests: async () => (await import('./requests.ts')).requests,
      payments: async () => (await import('./payments.ts')).payments,
      find: async () => (await import('./find.ts')).find,
      show: async () => (await import('./requests.ts')).show,
      compare: async () => (await import('./compare.ts')).compare,
      deliveries: async () => (await import('./deliveries.ts')).deliveries,
      sql: async () => (await import('./state.ts')).sql,
      report: async () => (await import('./report.ts')).report,
    },
    'More commands': {
      accounts: async () => (await import('./payments.ts')).accounts,
      export: async () => (await import('./saved_worlds.ts')).exportWorld,
      import: async () => (await import('./saved_worlds.ts')).importWorld,
      scenarios: async () => (await import('./registry.ts')).scenarios,
      token: async () => (await import('./users.ts')).token,
      clients: async () => (await import('./users.ts')).clients,
      fees: async () => (await import('./settings.ts')).fees,
      limits: async () => (await import('./settings.ts')).limits,
      fx: async () => (await import('./settings.ts')).fx,
      'rate-limit': async () => (await import('./settings.ts')).rateLimit,
    },
  },
})
