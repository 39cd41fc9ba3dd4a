import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient, openJournal } from '../../src/index.ts'
import { account, iban, startService } from '../commands/payments/service.ts'

/** A service, and the objects with which a program pays there without the command line, until the test ends. */
export async function setUp() {
  const service = await startService()
  const connect = (token: string) => {
    const client = createClient({ baseUrl: service.url, token, retries: 0 })
    onTestFinished(() => client.close())
    return client
  }
  const directory = mkdtempSync(join(tmpdir(), 'payctl-program-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const journal = openJournal(directory)
  onTestFinished(() => journal.close())
  return { service, journal, connect, settings: { client: connect('token-of-the-test'), journal } }
}

export const request = { from: account, to: iban, amount: 1000 }
