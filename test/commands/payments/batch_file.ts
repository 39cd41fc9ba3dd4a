import { onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import { demoRegistry } from '../../emulator/demo_registry.ts'
import { allPayments, apiOn } from '../../emulator/payments.ts'
import { builtPayctl } from './built_payctl.ts'

export const [colones, dollars] = demo.accounts

/** IBANs and phones of payees whose payments complete. */
export const payees = demoRegistry
  .filter(({ outcome, currency }) => outcome === 'completed' && currency === 'CRC')
  .map(({ address }) => address)

export const heading = 'to,amount,description,from,reference'

/** The content of a file of `count` different payments of 1.00 to 1.99. */
export const fileOf = (count: number, from: string = colones.id): string =>
  [heading, ...Array.from({ length: count }, (_, at) => line(at, from))].join('\n')

const line = (at: number, from: string): string =>
  `${payees[at % payees.length]},1.${String(at % 100).padStart(2, '0')},Payment ${at} of this test,${from},ref-${at}`

type Options = Pick<EmulatorOptions, 'rateLimit' | 'clock'>

/** Settles at once. */
async function startService(options: Options) {
  const { baseUrl, token, close } = await startEmulator({ settle: 'instant', rateLimit: 6000, ...options })
  onTestFinished(close)
  return { base_url: baseUrl, token }
}

/** An emulator, payctl, and the emulator's payments and money. */
export async function batchWorld(options: Options = {}) {
  const service = await startService(options)
  const api = apiOn({ baseUrl: service.base_url, token: service.token })
  const cli = builtPayctl(service)
  return {
    service,
    api,
    ...cli,
    batch: (file: string, ...more: readonly string[]) => cli.run('payments', 'batch', file, '--yes', ...more),
    /** All payments at the service, newest first. */
    payments: () => allPayments(api),
    /** Minor units that were taken from the account, or are held for payments under way. */
    async spent(account: typeof colones | typeof dollars = colones): Promise<number> {
      const { data } = (await api.get(`/api/accounts/${account.id}/balance`)).body
      return account.balance - data.balance
    },
  }
}

/** The rows of a result in NDJSON. */
export const rowsOf = (ndjson: string): Record<string, unknown>[] =>
  ndjson
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text))

/** Total of the payments of a file in minor units, without fees. */
export const worth = (file: string): number =>
  file
    .split('\n')
    .slice(1)
    .reduce((sum, text) => sum + Math.round(Number(text.split(',')[1]) * 100), 0)
