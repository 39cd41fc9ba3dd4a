import type { Account } from '../../../src/contract/index.ts'
import { guarded } from '../allowance.ts'
import type { Target, World } from '../target.ts'
import type { WriteJournal } from '../writes.ts'
import { openWorld } from './inject.ts'

/**
 * The emulator in this process, treated like a service with real money, to find out what a run would write. `total`
 * limits the sum of payments, in minor units.
 */
export function rehearsal(journal: WriteJournal, total: number): Target {
  let opened: Promise<World> | undefined
  const open = async (): Promise<World> => {
    const world = await openWorld({ settle: 0 })
    const { exchange, token } = world
    const headers = { Authorization: `Bearer ${token}` }
    const { text } = await exchange({ method: 'GET', url: '/api/accounts', headers })
    const accounts: Account[] = JSON.parse(text).data.data
    const { id } = accounts.find(({ balance }) => balance.currency === 'CRC') as Account
    let closed: Promise<void> | undefined
    const allowance = { account: { id, currency: 'CRC' }, total } as const
    return {
      token,
      payer: id,
      emulated: false,
      address: null,
      oauth: null,
      exchange: guarded(exchange, { token, allowance, journal }),
      control: null,
      inside: null,
      close: () => (closed ??= world.close()),
    }
  }
  return {
    name: 'service',
    reach: 'none',
    listens: false,
    async start() {
      opened ??= open()
      return opened
    },
  }
}
