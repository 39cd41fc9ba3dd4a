import { type ExportedSeed, isUnderWay, type SeedFile, seedListLimit } from '../../src/contract/index.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import { clientCodec, isDashboardToken, subscriptionCodec, tokenCodec } from './access.ts'
import { accountCodec, registryCodec, userCodec } from './holders.ts'
import { paymentCodec } from './payments.ts'
import type { IdsBySeq } from './resolving.ts'
import { scheduledCreditCodec } from './scheduled_credits.ts'
import { writeSettings } from './settings.ts'

/** The payments of an exported seed, and the number of payments that the seed leaves out. */
export interface SeedPayments {
  readonly payments: NonNullable<SeedFile['payments']>
  readonly leftOut: number
}

/** Exports a seed that makes a world like this world, and describes what the seed leaves out. */
export const seedOf = (world: World): ExportedSeed => seedWithoutPayments(world)(seedPayments(world.store))

/** Reads the world's payments for the seed. Reading the payments takes much longer than the rest of the export. */
export function seedPayments(store: Store): SeedPayments {
  const payments = paymentCodec.write({ store }, idsIn(store))
  // Balances are current, so the oldest finished payments can be left out; payments under way can't.
  const finished = payments.filter(({ status }) => !isUnderWay(status))
  const leftOut = new Set(finished.slice(0, Math.max(0, payments.length - seedListLimit)))
  return { payments: payments.filter((payment) => !leftOut.has(payment)), leftOut: leftOut.size }
}

const idsIn = ({ users, accounts }: Store): IdsBySeq => ({
  users: new Map(users.all().map(({ seq, id }) => [seq, id])),
  accounts: new Map(accounts.all().map(({ seq, id }) => [seq, id])),
})

/** Reads everything in a seed except its payments; the returned function adds the payments. */
export function seedWithoutPayments(world: World): (read: SeedPayments) => ExportedSeed {
  const { store } = world
  const ids = idsIn(store)
  const scheduled = scheduledCreditCodec.write(world, ids)
  const beforePayments: SeedFile = {
    ...writeSettings(world),
    users: userCodec.write(world, ids),
    accounts: accountCodec.write(world, ids),
    registry: registryCodec.write(world, ids),
    clients: clientCodec.write(world, ids),
    tokens: tokenCodec.write(world, ids),
    subscriptions: subscriptionCodec.write(world, ids),
  }
  const deliveries = Object.values(store.deliveries.countOf({})).reduce((sum, count) => sum + count, 0)
  const unusable = store.tokenRecords.secrets().filter((token) => !isDashboardToken(token))
  const returned = store.scheduledCredits.all().filter(({ status }) => status === 'returned')
  const others = [
    ...counted(deliveries, 'webhook deliveries, including waiting ones'),
    ...counted(unusable.length, 'access tokens that were revoked, or issued to OAuth clients'),
    ...counted(Math.max(0, scheduled.length - seedListLimit), 'the newest scheduled credits'),
    ...counted(returned.length, 'scheduled credits that were returned'),
    ...counted(store.payments.returns(), 'information on which payments were returned'),
    ...counted(world.faults.list().length, 'faults'),
  ]
  return ({ payments, leftOut }) => ({
    seed: {
      ...beforePayments,
      payments,
      ...(scheduled.length > 0 && { scheduled_credits: scheduled.slice(0, seedListLimit) }),
    },
    left_out: [...counted(leftOut, 'the oldest payments'), ...others],
  })
}

const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${what} (${count})`])
