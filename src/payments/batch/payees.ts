import type { Client } from '../../client/client.ts'
import type { Context } from '../../commands/context.ts'
import { ApiError } from '../../errors/service_errors.ts'
import type { Sheet } from '../../journal/staged_rows.ts'
import { Faults } from '../batch_file.ts'
import { concurrently } from './concurrently.ts'

interface Lookup {
  readonly client: Client
  readonly context: Context
  readonly concurrency: number
}

/** Asks who every payee is, each once, and throws UsageError that names those that nobody is. */
export async function checkPayees(sheet: Sheet, { client, context, concurrency }: Lookup): Promise<void> {
  const faults = new Faults(context)
  const find = async ({ recipient, iban, line }: Payee) => ({
    line,
    recipient,
    found: await isFound(recipient, iban, client),
  })
  for await (const { line, recipient, found } of concurrently(sheet.recipients(), concurrency, find)) {
    if (!found) faults.add({ line }, [`to ${recipient} is not known to the service`])
  }
  faults.throwIfAny()
}

interface Payee {
  readonly recipient: string
  readonly iban: 0 | 1
  readonly line: number
}

async function isFound(recipient: string, iban: 0 | 1, client: Client): Promise<boolean> {
  try {
    if (iban) await client.call('iban.information', { params: { iban: recipient } })
    else await client.call('phone.information', { params: { phone: recipient } })
    return true
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return false
    throw error
  }
}
