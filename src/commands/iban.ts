import { normalizeIban } from '../contract/iban.ts'
import { UsageError } from '../errors/cli_error.ts'
import { ibanMistake, looksLikeIban, looksLikePhone } from '../payments/order.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'
import { type LookupKind, lookUpAction, lookupFlags } from './lookup/lookup.ts'

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

const lookup: LookupKind = {
  key: 'iban',
  noun: 'IBAN',
  example: 'CR05015202001026284066',
  normalize: checked,
  find: (iban, client) => client.call('iban.information', { params: { iban } }),
}

function checked(text: string): string {
  const value = normalizeIban(text)
  const mistake = ibanMistake(value)
  if (mistake === null) return value
  if (!looksLikeIban(text) && looksLikePhone(text)) {
    throw new UsageError(`'${text}' looks like a phone, not like an IBAN.`, 'For phones: payctl phone <number>')
  }
  throw new UsageError(`'${text}' ${mistake.problem}.`, mistake.hint)
}
