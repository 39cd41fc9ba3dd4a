import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlToken, worldOption } from './steer.ts'

export const emulator: CommandModule = (command) => {
  command
    .description(
      'Steer the emulator that runs on this machine. Of several, the newest is looked at; --base-url names one, and what changes something wants that.',
    )
    .addOption(controlToken())
    .addOption(worldOption())
  examples(command, ['payctl emulator status', 'payctl emulator clock advance 1h', 'payctl emulator rail pin offline'])
  return {
    list: {
      summary: 'List the running emulators',
      load: async () => (await import('./running.ts')).list,
    },
    stop: {
      summary: 'Stop an emulator',
      usage: '[url or process id]',
      load: async () => (await import('./running.ts')).stop,
    },
    status: {
      summary: 'Show what the emulator holds, in numbers',
      load: async () => (await import('./state.ts')).status,
    },
    reset: {
      summary: 'Put the emulator back to its seed',
      load: async () => (await import('./state.ts')).reset,
    },
    worlds: {
      summary: 'List, make and end worlds, each with its own money and clock',
      load: async () => (await import('./worlds.ts')).worlds,
    },
    snapshots: {
      summary: 'Keep a world as it is, and put it back',
      load: async () => (await import('./snapshots.ts')).snapshots,
    },
    export: {
      summary: 'Write a world to a file',
      usage: '<file>',
      load: async () => (await import('./world_files.ts')).exportWorld,
    },
    import: {
      summary: 'Make a world of a file that was exported',
      usage: '<file>',
      load: async () => (await import('./world_files.ts')).importWorld,
    },
    credit: {
      summary: 'Let money arrive from another bank',
      load: async () => (await import('./credit.ts')).credit,
    },
    payment: {
      summary: 'Take a payment to a status, now or later',
      usage: '<id> <status>',
      load: async () => (await import('./driving.ts')).payment,
    },
    requests: {
      summary: 'List what the world was asked, and what broke the contract',
      load: async () => (await import('./requests.ts')).requests,
    },
    show: {
      summary: 'Tell the story of a payment or a request',
      usage: '<id>',
      load: async () => (await import('./show.ts')).show,
    },
    sql: {
      summary: 'Read the world by a SELECT',
      usage: '[query]',
      load: async () => (await import('./sql.ts')).sql,
    },
    report: {
      summary: 'Show what was wrong with the use of all worlds',
      load: async () => (await import('./report.ts')).report,
    },
    wait: {
      summary: 'Wait until something has happened',
      load: async () => (await import('./wait.ts')).wait,
    },
    account: {
      summary: 'Show an account, set its status or balance',
      usage: '<id>',
      load: async () => (await import('./driving.ts')).account,
    },
    'rate-limit': {
      summary: 'Show or set how many requests are allowed, or use them up',
      load: async () => (await import('./settings.ts')).rateLimit,
    },
    rail: {
      summary: 'Show the rails, put one out of order or back',
      usage: '[rail] [state]',
      load: async () => (await import('./settings.ts')).rail,
    },
    fees: {
      summary: 'Show or set what a payment costs',
      load: async () => (await import('./settings.ts')).fees,
    },
    fx: {
      summary: 'Show or set exchange rates, put them out of order or back',
      load: async () => (await import('./settings.ts')).fx,
    },
    faults: {
      summary: 'Have requests and deliveries of webhooks go wrong',
      load: async () => (await import('./faults.ts')).faults,
    },
    scenarios: {
      summary: 'List recipients whose payments do not simply complete',
      load: async () => (await import('./registry.ts')).scenarios,
    },
    registry: {
      summary: 'List, add and remove customers of other banks',
      load: async () => (await import('./registry.ts')).registry,
    },
    users: {
      summary: 'List and add users',
      load: async () => (await import('./users.ts')).users,
    },
    token: {
      summary: 'Make an access token, list or revoke them',
      load: async () => (await import('./token.ts')).token,
    },
    clients: {
      summary: 'List, add and remove OAuth clients',
      load: async () => (await import('./clients.ts')).clients,
    },
    deliveries: {
      summary: 'List webhook deliveries, look into one, send one again',
      load: async () => (await import('./deliveries.ts')).deliveries,
    },
    clock: {
      summary: 'Show, move, stop and start the emulator’s clock',
      load: async () => (await import('./clock.ts')).clock,
    },
  }
}
