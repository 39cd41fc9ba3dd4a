import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'

export const payees: CommandModule = (command) => {
  command.description(
    'Save payees by name, each with the name of its holder as the service gave it, and send to them: --to proveedor-luz. ' +
      'Nothing is sent when the holder has another name than the saved one. What is saved for one service serves for no ' +
      'other; all emulators of this machine share theirs.',
  )
  examples(command, [
    'payctl payees add proveedor-luz --to "CR05 0152 0200 1026 2840 66"',
    'payctl payments send --to proveedor-luz --amount 1500.25',
    'payctl payees list',
  ])
  return {
    list: { summary: 'List them', load: async () => (await import('./list.ts')).list },
    show: { summary: 'Show one', usage: '<name>', load: async () => (await import('./list.ts')).show },
    add: { summary: 'Look one up and save it', usage: '<name>', load: async () => (await import('./add.ts')).add },
    verify: {
      summary: 'Compare the saved holders with those of today',
      usage: '[name...]',
      load: async () => (await import('./verify.ts')).verify,
    },
    update: {
      summary: 'Accept another holder, or change the note',
      usage: '<name>',
      load: async () => (await import('./verify.ts')).update,
    },
    rename: {
      summary: 'Give one another name',
      usage: '<name> <new name>',
      load: async () => (await import('./list.ts')).rename,
    },
    remove: { summary: 'Remove one', usage: '<name>', load: async () => (await import('./list.ts')).remove },
  }
}
