import { type ExportedSeed, isUnderWay, type SeedFile, seedListLimit } from '../../src/contract/index.ts'
import type { World } from '../worlds/world.ts'
import { clientCodec, isDashboardToken, subscriptionCodec, tokenCodec } from './access.ts'
import { accountCodec, registryCodec, userCodec } from './holders.ts'
import { paymentCodec } from './payments.ts'
import type { IdsBySeq } from './resolving.ts'
import { scheduledCreditCodec } from './scheduled_credits.ts'
import { writeSettings } from './settings.ts'

/** Exports a seed that makes a world like this one, and lists in words what the seed leaves out. */
export function seedOf(world: World): ExportedSeed {
  const { store } = world
  const ids: IdsBySeq = {
    users: new Map(store.users.all().map(({ seq, id }) => [seq, id])),
    accounts: new Map(store.accounts.all().map(({ seq, id }) => [seq, id])),
  }
  const payments = paymentCodec.write(world, ids)
  // Balances are current, so the oldest finished payments can be left out; payments under way can't.
  const finished = payments.filter(({ status }) => !isUnderWay(status))
  const leftOut = new Set(finished.slice(0, Math.max(0, payments.length - seedListLimit)))
  const scheduled = scheduledCreditCodec.write(world, ids)
  const seed: SeedFile = {
    ...writeSettings(world),
    users: userCodec.write(world, ids),
    accounts: accountCodec.write(world, ids),
    registry: registryCodec.write(world, ids),
    clients: clientCodec.write(world, ids),
    tokens: tokenCodec.write(world, ids),
    subscriptions: subscriptionCodec.write(world, ids),
    payments: payments.filter((payment) => !leftOut.has(payment)),
    ...(scheduled.length > 0 && { scheduled_credits: scheduled.slice(0, seedListLimit) }),
  }
  const deliveries = Object.values(store.deliveries.countOf({})).reduce((sum, count) => sum + count, 0)
  const unusable = store.tokenRecords.secrets().filter((token) => !isDashboardToken(token))
  const returned = store.scheduledCredits.all().filter(({ status }) => status === 'returned')
  const left_out = [
    ...counted(leftOut.size, 'the oldest payments'),
    ...counted(deliveries, 'webhook deliveries, including waiting ones'),
    ...counted(unusable.length, 'access tokens that were revoked, or issued to OAuth clients'),
    ...counted(Math.max(0, scheduled.length - seedListLimit), 'the newest scheduled credits'),
    ...counted(returned.length, 'scheduled credits that were returned'),
    ...counted(store.payments.returns(), 'which payments were returned'),
    ...counted(world.faults.list().length, 'faults'),
  ]
  return { seed, left_out }
}

const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${what} (${count})`])
