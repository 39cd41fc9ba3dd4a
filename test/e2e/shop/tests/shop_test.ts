import { test as base, expect } from 'vitest'
import { openDatabase } from '../program/database.ts'
import { openShop, type Shop, type ShopOptions } from '../program/shop.ts'
import { morning } from './prepared.ts'
import { type Fork, service } from './services.ts'

/** A world, and all that a test does there. Its time stands still until it is advanced. */
export interface World extends Pick<Fork, 'control' | 'until' | 'authUrl'> {
  readonly fork: Fork
  /** Epoch milliseconds. */
  now(): number
  /** Lets time pass: what falls due happens, and its webhooks are answered. */
  advance(ms: number): Promise<void>
  /** Opens a shop, whose owner has signed in where nothing else is said. It is not started. */
  open(options?: Partial<ShopOptions>, owner?: { signedIn?: boolean }): Promise<Shop>
  /** Lets money arrive on the owner's account in colones, or in dollars, and waits until the shops have heard of it. */
  receive(from: { phone?: string; iban?: string; dollars?: boolean }, amount: number): Promise<string>
  /** Closes the shops, and ends it. */
  close(): Promise<void>
}

export const minutes = (count: number): number => count * 60_000
export const hours = (count: number): number => minutes(60 * count)

/** Customers and suppliers of other banks, as the seed has them. */
export const payees = {
  carlos: { phone: '87000001', iban: 'CR73015100100000000001', name: 'Carlos Jiménez Mora' },
  ana: { phone: '87000002', iban: 'CR70015200100000000002', name: 'Ana Lucía Vargas Solano' },
  hardware: { phone: '87000003', iban: 'CR07010200100000000003', name: 'Ferretería El Roble S.A.' },
  imports: { iban: 'CR50010200100000000005', name: 'Pacific Imports LLC' },
  rejecting: { phone: '87000006', iban: 'CR81016100100000000006', name: 'Rechazo Siempre' },
  closed: { phone: '87000013', iban: 'CR86016100100000000013', name: 'Cuenta Cerrada' },
  lost: { phone: '87000007', iban: 'CR54016100100000000007', name: 'Tiempo Agotado' },
}

export async function forkedWorld(name?: string): Promise<World> {
  const forked = await service.fork(name)
  const { control, until, baseUrl, authUrl } = forked
  const { clientId, clientSecret, accessToken, refreshToken } = service.prepared
  const shops: Shop[] = []
  let time = Date.parse(morning)
  const world: World = {
    fork: forked,
    control,
    until,
    authUrl,
    now: () => time,
    async advance(ms) {
      const { now } = await control.clock.advance({ ms })
      time = Date.parse(now)
    },
    async open({ database = openDatabase(), ...options } = {}, { signedIn = true } = {}) {
      if (signedIn)
        database
          .prepare('UPDATE session SET access_token = ?, refresh_token = ? WHERE access_token IS NULL')
          .run(accessToken, refreshToken)
      const given = { baseUrl, authUrl, clientId, clientSecret, now: world.now, pause: world.advance }
      const shop = await openShop({ ...given, ...options, database })
      shops.push(shop)
      return shop
    },
    async receive({ phone, iban, dollars = false }, amount) {
      const [colones, usd] = forked.accounts()
      const to = dollars ? usd?.iban : phone ? '88001234' : colones?.iban
      const from = { ...(phone && { from_phone: phone }), ...(iban && { from_iban: iban }) }
      const { id } = await control.credits.create({ to: to ?? '', amount, ...from })
      await until.idle()
      return id
    },
    async close() {
      for (const shop of shops) await shop.close()
      await forked.close()
    },
  }
  return world
}

/** A world, and a shop that has started in it. At the end, the world's ledger balances. */
export const test = base.extend<{ world: World; shop: Shop }>({
  world: async ({ task: _ }, use) => {
    const world = await forkedWorld()
    await use(world)
    const { balanced, problems } = await world.control.ledger()
    await world.close()
    expect(problems).toEqual([])
    expect(balanced).toBe(true)
  },
  shop: async ({ world }, use) => {
    const shop = await world.open()
    await shop.start()
    await use(shop)
  },
})
