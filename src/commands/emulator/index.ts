import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlToken, worldOption } from './steer.ts'

export const emulator: CommandModule = (command) => {
  command
    .description('Steer a running emulator: the newest, or the one that --emulator names.')
    .addOption(controlToken().helpGroup('Options:'))
    .addOption(worldOption().helpGroup('Options:'))
  examples(command, ['payctl emulator clock advance 1h'])
  return {
    status: {
      summary: 'Show what the emulator holds, in numbers',
      group: 'Worlds and processes',
      load: async () => (await import('./state.ts')).status,
    },
    worlds: {
      summary: 'List, make and end worlds',
      group: 'Worlds and processes',
      load: async () => (await import('./worlds.ts')).worlds,
    },
    reset: {
      summary: 'Put the emulator back to its seed',
      group: 'Worlds and processes',
      load: async () => (await import('./state.ts')).reset,
    },
    snapshots: {
      summary: 'Keep a world as it is, and put it back',
      group: 'Worlds and processes',
      load: async () => (await import('./snapshots.ts')).snapshots,
    },
    export: {
      summary: 'Write a world to a file',
      usage: '<file>',
      group: 'Worlds and processes',
      load: async () => (await import('./world_files.ts')).exportWorld,
    },
    import: {
      summary: 'Make a world of a file that was exported',
      usage: '<file>',
      group: 'Worlds and processes',
      load: async () => (await import('./world_files.ts')).importWorld,
    },
    users: {
      summary: 'List and add users',
      group: 'Worlds and processes',
      load: async () => (await import('./users.ts')).users,
    },
    registry: {
      summary: 'List, add and remove customers of other banks',
      group: 'Worlds and processes',
      load: async () => (await import('./registry.ts')).registry,
    },
    scenarios: {
      summary: 'List recipients whose payments end otherwise',
      group: 'Worlds and processes',
      load: async () => (await import('./registry.ts')).scenarios,
    },
    token: {
      summary: 'Make an access token, list or revoke them',
      group: 'Worlds and processes',
      load: async () => (await import('./token.ts')).token,
    },
    clients: {
      summary: 'List, add and remove OAuth clients',
      group: 'Worlds and processes',
      load: async () => (await import('./clients.ts')).clients,
    },
    clock: {
      summary: 'Show, move, stop and start the emulator’s clock',
      group: 'What happens in it',
      load: async () => (await import('./clock.ts')).clock,
    },
    credit: {
      summary: 'Let money arrive from another bank',
      group: 'What happens in it',
      load: async () => (await import('./credit.ts')).credit,
    },
    payment: {
      summary: 'Take a payment to a status, now or later',
      usage: '<payment> <status>',
      group: 'What happens in it',
      load: async () => (await import('./driving.ts')).payment,
    },
    account: {
      summary: 'Show an account, set its status or balance',
      usage: '<account>',
      group: 'What happens in it',
      load: async () => (await import('./driving.ts')).account,
    },
    rail: {
      summary: 'Show the rails, put one out of order or back',
      usage: '[rail] [state]',
      group: 'What happens in it',
      load: async () => (await import('./settings.ts')).rail,
    },
    fees: {
      summary: 'Show or set what a payment costs',
      group: 'What happens in it',
      load: async () => (await import('./settings.ts')).fees,
    },
    limits: {
      summary: 'Show or set how much an account may send',
      group: 'What happens in it',
      load: async () => (await import('./rail_limits.ts')).limits,
    },
    fx: {
      summary: 'Show or set exchange rates, or put them offline',
      group: 'What happens in it',
      load: async () => (await import('./settings.ts')).fx,
    },
    'rate-limit': {
      summary: 'Show or set the rate limit, or use it up',
      group: 'What happens in it',
      load: async () => (await import('./settings.ts')).rateLimit,
    },
    faults: {
      summary: 'Have requests and deliveries of webhooks go wrong',
      group: 'What happens in it',
      load: async () => (await import('./faults.ts')).faults,
    },
    chaos: {
      summary: 'Show what went wrong by chance',
      group: 'What happens in it',
      load: async () => (await import('./chaos.ts')).chaos,
    },
    wait: {
      summary: 'Wait until something has happened',
      group: 'What happened',
      load: async () => (await import('./wait.ts')).wait,
    },
    requests: {
      summary: 'List what the world was asked, and what was wrong',
      group: 'What happened',
      load: async () => (await import('./requests.ts')).requests,
    },
    show: {
      summary: 'Tell the story of a payment or a request',
      usage: '<payment|request>',
      group: 'What happened',
      load: async () => (await import('./show.ts')).show,
    },
    deliveries: {
      summary: 'List webhook deliveries, send one again',
      group: 'What happened',
      load: async () => (await import('./deliveries.ts')).deliveries,
    },
    sql: {
      summary: 'Read the world by a SELECT',
      usage: '[query]',
      group: 'What happened',
      load: async () => (await import('./sql.ts')).sql,
    },
    report: {
      summary: 'Show what was wrong with the use of all worlds',
      group: 'What happened',
      load: async () => (await import('./report.ts')).report,
    },
    list: {
      summary: 'List the running emulators',
      group: 'Worlds and processes',
      load: async () => (await import('./running.ts')).list,
    },
    stop: {
      summary: 'Stop an emulator',
      usage: '[url or process id]',
      group: 'Worlds and processes',
      load: async () => (await import('./running.ts')).stop,
    },
  }
}
