import { command } from '../../cli/command.ts'

export const payees = command({
  summary: 'Save payees by name, and send to them',
  about:
    'Save payees by name, each with the name of its holder as the service gave it, and send to them: --to proveedor-luz. ' +
    'Nothing is sent if the holder’s name differs from the saved name. A payee is saved for one service; all emulators ' +
    'of this machine share their payees.',
  examples: [
    'payctl payees add proveedor-luz --to "CR05 0152 0200 1026 2840 66"',
    'payctl payments send --to proveedor-luz --amount 1500.25',
    'payctl payees list',
  ],
  commands: {
    list: async () => (await import('./list.ts')).list,
    show: async () => (await import('./list.ts')).show,
    add: async () => (await import('./add.ts')).add,
    verify: async () => (await import('./verify.ts')).verify,
    update: async () => (await import('./verify.ts')).update,
    rename: async () => (await import('./list.ts')).rename,
    import: async () => (await import('./import.ts')).importList,
    export: async () => (await import('./export.ts')).exportList,
    remove: async () => (await import('./list.ts')).remove,
  },
})
