import { command, legacy } from '../../cli/command.ts'
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
      status: legacy({
        summary: 'Show what the emulator holds, in numbers',
        load: async () => (await import('./state.ts')).status,
      }),
      worlds: legacy({
        summary: 'List, make and end worlds',
        load: async () => (await import('./worlds.ts')).worlds,
      }),
      reset: legacy({
        summary: 'Put the emulator back to its seed',
        load: async () => (await import('./state.ts')).reset,
      }),
      snapshots: legacy({
        summary: 'Keep a world as it is, and put it back',
        load: async () => (await import('./snapshots.ts')).snapshots,
      }),
      export: legacy({
        summary: 'Write a world to a file',
        usage: '<file>',
        load: async () => (await import('./world_files.ts')).exportWorld,
      }),
      import: legacy({
        summary: 'Make a world of a file that was exported',
        usage: '<file>',
        load: async () => (await import('./world_files.ts')).importWorld,
      }),
      users: async () => (await import('./users.ts')).users,
      registry: legacy({
        summary: 'List, add and remove customers of other banks',
        load: async () => (await import('./registry.ts')).registry,
      }),
      scenarios: legacy({
        summary: 'List recipients whose payments end otherwise',
        load: async () => (await import('./registry.ts')).scenarios,
      }),
      token: legacy({
        summary: 'Make an access token, list or revoke them',
        load: async () => (await import('./token.ts')).token,
      }),
      clients: legacy({
        summary: 'List, add and remove OAuth clients',
        load: async () => (await import('./clients.ts')).clients,
      }),
      list: legacy({
        summary: 'List the running emulators',
        load: async () => (await import('./running.ts')).list,
      }),
      stop: legacy({
        summary: 'Stop an emulator',
        usage: '[url or process id]',
        load: async () => (await import('./running.ts')).stop,
      }),
    },
    'What happens in it': {
      clock: legacy({
        summary: 'Show, move, stop and start the emulator’s clock',
        load: async () => (await import('./clock.ts')).clock,
      }),
      credit: legacy({
        summary: 'Let money arrive from another bank, now or later',
        load: async () => (await import('./credit.ts')).credit,
      }),
      payment: legacy({
        summary: 'Take a payment to a status, now or later',
        usage: '<payment> <status>',
        load: async () => (await import('./driving.ts')).payment,
      }),
      account: legacy({
        summary: 'Show an account, set its status or balance',
        usage: '<account>',
        load: async () => (await import('./driving.ts')).account,
      }),
      rail: legacy({
        summary: 'Show the rails, put one out of order or back',
        usage: '[rail] [state]',
        load: async () => (await import('./settings.ts')).rail,
      }),
      fees: legacy({
        summary: 'Show or set what a payment costs',
        load: async () => (await import('./settings.ts')).fees,
      }),
      limits: legacy({
        summary: 'Show or set how much an account may send',
        load: async () => (await import('./rail_limits.ts')).limits,
      }),
      fx: legacy({
        summary: 'Show or set exchange rates, or put them offline',
        load: async () => (await import('./settings.ts')).fx,
      }),
      'rate-limit': legacy({
        summary: 'Show or set the rate limit, or use it up',
        load: async () => (await import('./settings.ts')).rateLimit,
      }),
      faults: legacy({
        summary: 'Have requests and deliveries of webhooks go wrong',
        load: async () => (await import('./faults.ts')).faults,
      }),
      chaos: legacy({
        summary: 'Show what went wrong by chance',
        load: async () => (await import('./chaos.ts')).chaos,
      }),
    },
    'What happened': {
      wait: legacy({
        summary: 'Wait until something has happened',
        load: async () => (await import('./wait.ts')).wait,
      }),
      requests: legacy({
        summary: 'List what the world was asked, and what was wrong',
        load: async () => (await import('./requests.ts')).requests,
      }),
      show: legacy({
        summary: 'Tell the story of a payment or a request',
        usage: '<payment|request>',
        load: async () => (await import('./show.ts')).show,
      }),
      deliveries: legacy({
        summary: 'List webhook deliveries, send one again',
        load: async () => (await import('./deliveries.ts')).deliveries,
      }),
      sql: legacy({
        summary: 'Read the world by a SELECT',
        usage: '[query]',
        load: async () => (await import('./sql.ts')).sql,
      }),
      report: legacy({
        summary: 'Show what was wrong with the use of all worlds',
        load: async () => (await import('./report.ts')).report,
      }),
    },
  },
})
