import { concurrencyFlag } from '../cli/arguments.ts'
import { type Context, command, type Input } from '../cli/command.ts'
import { array } from '../cli/prints.ts'
import { UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import type { Lookup } from '../lookups/lookups.ts'
import { lookUpHolder } from '../payees/holder.ts'
import { looksLikeIban, parseIban } from '../values/iban.ts'
import { kindOf } from '../values/kind.ts'
import { looksLikePhone, parsePhone } from '../values/phone.ts'

/** A lookup and the name of its values. */
export interface LookupKind extends Lookup {
  readonly noun: string
  readonly example: string
}

const lookupFlags = {
  '--file <path>': { about: 'read them from a file, one a line; # begins a comment', of: 'file' },
  ...concurrencyFlag('how many requests at a time, 1 to 32'),
} as const

export type LookupFlags = Input<Record<never, never>, typeof lookupFlags>

const lists = `
One value as argument is shown in full. Of several, and of the lines of -
(stdin), a pipe or --file, each gets a row, in order; what is not found or not
valid has that as its status, with the reason.

Exit 0: all found. 3: some not found. 2: some not valid, whatever the others.
Any other failure ends the run with its own code, after the rows before it.`

const columnsFor = (key: Lookup['key']) => async () => (await import('./look_up.ts')).lookupLayout(key)

async function runLookup(
  kind: LookupKind,
  texts: readonly string[] = [],
  flags: LookupFlags,
  context: Context,
): Promise<void> {
  const [{ lookUp }, { withoutName }] = await Promise.all([import('./look_up.ts'), import('../cli/saved_payees.ts')])
  const values = await Promise.all(texts.map((text) => withoutName(text, kind.key, context)))
  await lookUp({ ...kind, ...flags, texts: values }, context)
}

export const phone = command({
  summary: 'Who holds a phone number (SINPE Móvil)',
  about: 'Show who holds a phone number, and where SINPE Móvil payments to it go.',
  args: { '[number...]': { about: 'phone numbers; spaces, dashes and +506 are fine; or names of payctl payees' } },
  flags: lookupFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).phoneRow),
  columns: columnsFor('phone_number'),
  notes: lists,
  examples: [
    'payctl phone 8888-7777',
    "payctl phone '+506 8888 7777'",
    'payctl phone 88887777 61234567 --json',
    'payctl phone --file numbers.txt --output csv > holders.csv',
    'cut -d, -f2 customers.csv | payctl phone',
  ],
  run: ({ number: numbers, ...flags }, context) => runLookup(phoneLookup, numbers, flags, context),
})

export const phoneLookup: LookupKind = {
  key: 'phone_number',
  noun: 'number',
  example: '8888-7777',
  normalize: checkedPhone,
  find: (phone, client) => lookUpHolder({ phone }, client),
}

function checkedPhone(text: string): string {
  if (looksLikeIban(text)) {
    throw new UsageError(`'${text}' looks like an IBAN, not like a phone.`, toRun(['iban', text]))
  }
  return parsePhone(text)
}

export const iban = command({
  summary: 'Who holds an IBAN',
  about: 'Show who holds an IBAN, and at which entity.',
  args: { '[iban...]': { about: 'IBANs, quote one that has spaces; or names of payctl payees' } },
  flags: lookupFlags,
  prints: array(async () => (await import('./schema/payment_shapes.ts')).ibanRow),
  columns: columnsFor('iban'),
  notes: lists,
  examples: [
    'payctl iban CR05015202001026284066',
    "payctl iban 'CR05 0152 0200 1026 2840 66' --json",
    'payctl iban --file ibans.txt --output csv > holders.csv',
    'cat ibans.txt | payctl iban - --output ndjson',
  ],
  run: ({ iban: ibans, ...flags }, context) => runLookup(ibanLookup, ibans, flags, context),
})

export const ibanLookup: LookupKind = {
  key: 'iban',
  noun: 'IBAN',
  example: 'CR05015202001026284066',
  normalize: checkedIban,
  find: (iban, client) => lookUpHolder({ iban }, client),
}

function checkedIban(text: string): string {
  const like = kindOf(text)?.kind ?? 'phone'
  if (like === 'phone' && !looksLikeIban(text) && looksLikePhone(text)) {
    throw new UsageError(`'${text}' looks like a phone, not like an IBAN.`, toRun(['phone', text]))
  }
  return parseIban(text)
}
