import { command } from '../../cli/command.ts'

export const profiles = command({
  summary: 'Save services by name, and choose one',
  about:
    'Save services by name, each with its URL, OAuth client and settings; never a token. A command uses the profile ' +
    'that -p names, else PAYCTL_PROFILE, else the profile chosen with payctl profiles use, else default. With -p, ' +
    'payctl ignores PAYCTL_BASE_URL, PAYCTL_TOKEN and the like, which may belong to another service.',
  examples: [
    'payctl profiles set prod --base-url https://api.example.com',
    'payctl login -p prod',
    'payctl -p prod accounts list',
  ],
  commands: {
    list: async () => (await import('./list.ts')).list,
    use: async () => (await import('./list.ts')).use,
    set: async () => (await import('./set.ts')).set,
    delete: async () => (await import('./delete.ts')).remove,
  },
})
