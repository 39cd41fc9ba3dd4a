import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectedEmulator, EmulatorWorld } from 'payctl/emulator'
import { createTest } from 'payctl/vitest'
import { expect, inject, type TestAPI } from 'vitest'
import { openDatabase } from '../program/database.ts'
import { openShop, type Shop, type ShopOptions } from '../program/shop.ts'
import { morning, type Prepared, prepare, snapshot } from './prepared.ts'
import { stubTest } from './stub.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Credentials in the prepared emulator of all tests; null if each worker starts and prepares its own emulator. */
    readonly prepared: Prepared | null
  }
}

export const minutes = (count: number): number => count * 60_000
export const hours = (count: number): number => minutes(60 * count)

/** Customers and suppliers at other banks, from the seed. */
export const payees = {
  carlos: { phone: '87000001', iban: 'CR73015100100000000001', name: 'Carlos Jiménez Mora' },
  ana: { phone: '87000002', iban: 'CR70015200100000000002', name: 'Ana Lucía Vargas Solano' },
  hardware: { phone: '87000003', iban: 'CR07010200100000000003', name: 'Ferretería El Roble S.A.' },
  imports: { iban: 'CR50010200100000000005', name: 'Pacific Imports LLC' },
  rejecting: { phone: '87000006', iban: 'CR81016100100000000006', name: 'Rechazo Siempre' },
  closed: { phone: '87000013', iban: 'CR86016100100000000013', name: 'Cuenta Cerrada' },
  lost: { phone: '87000007', iban: 'CR54016100100000000007', name: 'Tiempo Agotado' },
}

/** The world's time, which stands still until it is advanced. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Advances the time: due steps happen, and their webhooks are answered. */
  advance(ms: number): Promise<void>
}

/** Opens a shop, by default with an owner who has signed in. Does not start the shop. */
type Open = (options?: Partial<ShopOptions>, owner?: { readonly signedIn?: boolean }) => Promise<Shop>

/**
 * Sends money to the owner's account in colones or dollars, and waits until the shops know of it. Returns the id of the
 * credit.
 */
type Receive = (from: { phone?: string; iban?: string; dollars?: boolean }, amount: number) => Promise<string>

/** A test's part of the emulator: a separate world, forked from the prepared world. */
export interface Given {
  readonly emulator: Pick<ConnectedEmulator, 'control'>
  readonly world: Pick<
    EmulatorWorld,
    'name' | 'baseUrl' | 'authUrl' | 'user' | 'accounts' | 'control' | 'until' | 'close'
  >
  readonly prepared: Prepared
}

export interface Fixtures extends Given {
  readonly clock: Clock
  readonly open: Open
  readonly receive: Receive
  /** A shop that has started. */
  readonly shop: Shop
}

const emulated = createTest({ settle: 'manual' }).extend<{ $worker: { prepared: Prepared } }>({
  prepared: [async ({ emulator }, use) => use(inject('prepared') ?? (await prepare(emulator))), { scope: 'worker' }],
})
emulated.override('worldOptions', ({ prepared: _ }) => ({ from: { snapshot } }))

const given = (process.env.SHOP_STUB ? stubTest : emulated) as unknown as TestAPI<Given>

export const test = given.extend<Omit<Fixtures, keyof Given>>({
  clock: async ({ world }, use) => {
    let time = Date.parse(morning)
    await use({
      now: () => time,
      async advance(ms) {
        time = Date.parse((await world.control.clock.advance({ ms })).now)
      },
    })
  },
  open: async ({ world, prepared, clock }, use) => {
    const { baseUrl, authUrl, control } = world
    const { clientId, clientSecret, accessToken, refreshToken } = prepared
    const shops: Shop[] = []
    await use(async ({ database = openDatabase(), ...options } = {}, { signedIn = true } = {}) => {
      const tokens = database.prepare(
        'UPDATE session SET access_token = ?, refresh_token = ? WHERE access_token IS NULL',
      )
      if (signedIn) tokens.run(accessToken, refreshToken)
      const usual = { baseUrl, authUrl, clientId, clientSecret, now: clock.now, pause: clock.advance }
      const shop = await openShop({ ...usual, ...options, database })
      shops.push(shop)
      return shop
    })
    for (const shop of shops) await shop.close()
    await countDoubles(control)
    await expectBalanced(control)
  },
  receive: async ({ world, clock }, use) => {
    await use(async ({ phone, iban, dollars = false }, amount) => {
      const [colones, usd] = world.accounts()
      const to = dollars ? usd?.iban : phone ? world.user.phone : colones?.iban
      const from = { ...(phone && { from_phone: phone }), ...(iban && { from_iban: iban }) }
      const { id } = await world.control.credits.create({ to: to ?? '', amount, ...from })
      await clock.advance(0) // returns once the shops have answered the webhooks of the credit
      return id
    })
  },
  shop: async ({ open }, use) => {
    const shop = await open()
    await shop.start()
    await use(shop)
  },
})

const doubles = readFileSync(join(import.meta.dirname, '../doubles.sql'), 'utf8')

/** Adds the orders that were paid twice, by the bank's books, to the counts of the run. */
async function countDoubles({ sql, state }: Given['world']['control']): Promise<void> {
  const { SHOP_COUNTS: folder, SHOP_RUN: run = '' } = process.env
  if (folder === undefined) return
  const found = await state().catch(unlessEnded)
  const payments = Object.values<number>(found?.payments ?? {}).reduce((sum, count) => sum + count, 0)
  if (payments < 2) return // each query starts a process
  const { rows } = await sql({ query: doubles })
  appendFileSync(join(folder, `${run}.counts`), `${rows[0]?.[0]}\n`)
}

/** Checks that the ledger of a world balances, unless the test has ended the world. */
async function expectBalanced({ ledger }: Given['world']['control']): Promise<void> {
  const found = await ledger().catch(unlessEnded)
  if (found) expect(found).toMatchObject({ balanced: true, problems: [] })
}

function unlessEnded(error: { readonly status?: number }): undefined {
  if (error.status !== 410) throw error
}
