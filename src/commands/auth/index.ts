import { command } from '../../cli/command.ts'

export const auth = command({
  summary: 'Show, print and renew the login',
  about: 'Show, print and renew what payctl is logged in with.',
  examples: ['payctl auth status', 'payctl auth token'],
  commands: {
    status: async () => (await import('./status.ts')).status,
    token: async () => (await import('./token.ts')).token,
    refresh: async () => (await import('./refresh.ts')).refresh,
  },
})
