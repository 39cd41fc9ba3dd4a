import { isPhone, normalizePhone } from '../contract/phone.ts'
import { UsageError } from '../errors/cli_error.ts'
import { looksLikeIban, phoneMistake } from '../payments/order.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'
import { type LookupKind, lookUpAction, lookupFlags } from './lookup/lookup.ts'

export const phone: CommandModule = (command, context) => {
  command
    .description('Show who holds a phone number, and where SINPE Móvil payments to it go.')
    .argument('[number...]', 'phone numbers; spaces, dashes and +506 are fine')
  lookupFlags(command).action(lookUpAction(lookup, context))
  examples(command, [
    'payctl phone 8888-7777',
    "payctl phone '+506 8888 7777'",
    'payctl phone 88887777 61234567 --json',
    'payctl phone --file numbers.txt --output csv > holders.csv',
    'cut -d, -f2 customers.csv | payctl phone',
  ])
}

const lookup: LookupKind = {
  key: 'phone_number',
  noun: 'number',
  example: '8888-7777',
  normalize: checked,
  find: (phone, client) => client.call('phone.information', { params: { phone } }),
}

function checked(text: string): string {
  const number = normalizePhone(text)
  if (isPhone(number)) return number
  if (looksLikeIban(text)) {
    throw new UsageError(`'${text}' looks like an IBAN, not like a phone.`, 'For IBANs: payctl iban <IBAN>')
  }
  const { problem, hint } = phoneMistake(number)
  throw new UsageError(`'${text}' is not a Costa Rican phone number: ${problem}.`, hint)
}
