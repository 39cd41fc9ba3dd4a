import { ibanFault, normalizeIban } from '../contract/iban.ts'
import { UsageError } from '../output/cli_error.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'
import { type Lookup, lookUpAction, lookupFlags } from './lookup/lookup.ts'

export const iban: CommandModule = (command, context) => {
  command
    .description('Show who holds an IBAN, and at which entity.')
    .argument('[iban...]', 'IBANs; quote one that has spaces')
  lookupFlags(command).action(lookUpAction(lookup, context))
  examples(command, [
    'payctl iban CR05015202001026284066',
    "payctl iban 'CR05 0152 0200 1026 2840 66' --json",
    'payctl iban --file ibans.txt --output csv > holders.csv',
    'cat ibans.txt | payctl iban - --output ndjson',
  ])
}

const lookup: Lookup = {
  key: 'iban',
  noun: 'IBAN',
  example: 'CR05015202001026284066',
  normalize: checked,
  find: (iban, client) => client.call('iban.information', { params: { iban } }),
}

function checked(text: string): string {
  const value = normalizeIban(text)
  const fault = ibanFault(value)
  if (fault === null) return value
  if (fault.reason === 'form') {
    const length = value.startsWith('CR') ? ` (it has ${value.length} characters of 22)` : ''
    throw new UsageError(
      `'${text}' is not a Costa Rican IBAN: CR and 20 digits${length}.`,
      "Type it like CR05015202001026284066, or in quotes: 'CR05 0152 0200 1026 2840 66'",
    )
  }
  throw new UsageError(
    `'${text}' has check digits ${value.slice(2, 4)} where ${fault.expected} fit: a digit is wrong or swapped.`,
    'Compare it with where you have it from.',
  )
}
