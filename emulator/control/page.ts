import { decoyWorld, defaultWorld, pagePaths, worldUrl } from '../../src/contract/index.ts'
import type { ControlHandlers } from '../http/context.ts'

export const pageHandlers = {
  'control.page.code'(_, { pageCodes, teamKey, name, worlds, emulatorUrl }) {
    const { code, expires_at } = pageCodes.make(teamKey)
    const nameInUrl = worlds.shard.nameInUrl(name)
    const base = [defaultWorld, decoyWorld].includes(nameInUrl) ? emulatorUrl() : worldUrl(emulatorUrl(), nameInUrl)
    return { code, url: `${base}${pagePaths.page}#code=${code}`, expires_at }
  },

  'control.page.enter': ({ body }, { pageCodes }) => ({ control_token: pageCodes.exchange(body.code) }),
} satisfies Partial<ControlHandlers>
