import { isPhone, normalizePhone } from '../contract/phone.ts'
import type { PhoneInformation } from '../contract/schemas/lookup.ts'
import { UsageError } from '../output/cli_error.ts'
import { field } from '../output/columns.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'
import { lookUp } from './lookup.ts'

type Holder = Pick<PhoneInformation, 'phone_number' | 'status'> & Partial<PhoneInformation>

export const phone: CommandModule = (command, context) => {
  command
    .description('Show who holds a phone number, and where SINPE Móvil payments to it go.')
    .argument('<number...>', 'phone numbers; spaces, dashes and +506 are fine')
    .action(async (texts: readonly string[]) => {
      const values = texts.map(checked)
      const client = await context.client()
      await lookUp(context, {
        values,
        key: field('phone_number', (holder: Holder) => holder.phone_number),
        find: (value) => client.call('phone.information', { params: { phone: value } }),
        missing: (value) => ({ phone_number: value, status: 'not_found' }),
      })
    })
  examples(command, [
    'payctl phone 8888-7777',
    "payctl phone '+506 8888 7777'",
    'payctl phone 88887777 61234567 --json',
  ])
}

function checked(text: string): string {
  const number = normalizePhone(text)
  if (isPhone(number)) return number
  throw new UsageError(
    `'${text}' is not a Costa Rican phone number: 8 digits, the first of them 2, 6, 7 or 8.`,
    'Type it like 8888-7777, with or without +506.',
  )
}
