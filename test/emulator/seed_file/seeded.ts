import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { SeedRefusal } from '../../../emulator/seed_file/problems.ts'
import { createClient } from '../../../src/client/index.ts'
import type { SeedFile } from '../../../src/contract/index.ts'
import { newFolder } from '../store/folder.ts'

/** Seed of these tests: two users who can pay each other, and a holder at another bank. */
export const pair = {
  users: [
    { alias: 'ana', name: 'Ana Vargas', phone: '61110001' },
    { alias: 'leo', name: 'Leo Mora', phone: '61110002' },
  ],
  accounts: [
    { alias: 'ana-crc', user: 'ana', balance: 150_025 },
    { alias: 'leo-crc', user: 'leo' },
    { alias: 'ana-usd', user: 'ana', currency: 'USD', balance: 5000 },
  ],
  registry: [
    { phone: '61119999', name: 'Eva Solís', document_number: '0109990888' },
    { phone: '61118888', name: 'Tiempo Agotado', document_number: '0109990887', outcome: 'timeout' },
  ],
} as const satisfies SeedFile

/** An emulator in manual mode that ends with the test. */
export async function startSeeded(seed: SeedFile, options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: 'manual', seed, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Writes a file with this text in a separate folder. Returns its path. */
export function fileWith(text: string, name = 'world.yaml'): string {
  const file = join(newFolder(), name)
  writeFileSync(file, text)
  return file
}

/** Problems of a seed, as `place: text`. */
export async function faultsOf(given: { seed: unknown } | { seedFile: string }): Promise<readonly string[]> {
  const error = await startEmulator(given as EmulatorOptions).then(
    (emulator) => emulator.close(),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SeedRefusal)) throw error ?? new Error('There is nothing wrong with it')
  return Object.entries(error.errors).flatMap(([place, texts]) => texts.map((text) => `${place}: ${text}`))
}

/** Data that a token can read: its user, accounts and payments. */
export async function seenBy(emulator: Pick<Emulator, 'baseUrl'>, token: string) {
  const client = createClient({ baseUrl: emulator.baseUrl, token, retries: 0, strict: true })
  try {
    const query = { per_page: 100 }
    const user = await client.call('user.get')
    const { data: accounts } = await client.call('accounts.list', { query })
    const { data: payments } = await client.call('payments.history', { query })
    return { user, accounts, payments }
  } finally {
    await client.close()
  }
}

export const expectBalanced = ({ control }: Emulator): void =>
  expect(control.checkLedger()).toMatchObject({ balanced: true, problems: [] })
