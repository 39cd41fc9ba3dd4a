import { documentNumber, integer } from '../../cli/arguments.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { Outcome } from '../../contract/control/registry.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { currencies } from '../../contract/payment_names.ts'
import { normalizePhone } from '../../contract/phone.ts'
import { IbanStatus } from '../../contract/schemas/lookup.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, status, words } from '../../output/columns.ts'

type Customer = RowOf<'control.registry.list'>

const columns = columnsOf<Customer>(
  'address',
  '-channel',
  { ...field('outcome'), text: (entry: Customer) => withReason(entry.outcome ?? '', entry), uncut: true },
  '-state_code',
  '-error',
  '-status',
  '-currency',
  '-document_number',
  '-document_type',
  'name',
  { ...words('entity_name'), dispensable: true },
)

export const registry = endpointCommand('control.registry.list', {
  summary: 'List, add and remove customers of other banks',
  about: 'List, add and remove customers of other banks: payees, and the results of payments to them.',
  columns,
  none: { words: 'Nobody.', next: toRun(['emulator', 'registry', 'add', '...'], 'Add somebody') },
  examples: ['payctl emulator registry', 'payctl emulator registry add --help'],
  commands: { add: () => add, remove: () => remove },
})

const add = endpointCommand('control.registry.add', {
  summary: 'Add a customer of another bank.',
  flags: {
    '--iban <iban>': {
      about: 'IBAN with correct check digits (unless --lenient-iban)',
      parse: normalizeIban,
    },
    '--phone <phone>': { about: 'phone, instead of an IBAN', parse: normalizePhone, conflicts: 'iban' },
    '--name <name>': { about: 'name of the customer', required: true },
    '--document <number>': {
      about: 'identity document',
      required: true,
      parse: documentNumber,
      sends: 'document_number',
    },
    '--document-type <n>': {
      about: 'SINPE’s number for the type of document (default: derived from the document)',
      parse: integer({ min: 0, max: 9 }),
    },
    '--currency <currency>': { about: 'currency of the account (default: CRC)', choices: currencies },
    '--outcome <outcome>': {
      about: 'result of payments to the customer (default: completed)',
      choices: Outcome.enum,
    },
    '--state-code <code>': {
      about: 'state code with --outcome failed: account_closed, or any other (default: rejected)',
    },
    '--error <text>': { about: 'error text of the failed payments (default: the usual text of the code)' },
    '--status <status>': {
      about: 'account status when the IBAN is looked up (default: derived from --state-code)',
      choices: IbanStatus.enum,
    },
  },
  columns,
  examples: [
    'payctl emulator registry add --phone 7111-2222 --name "Beatriz Solís" --document 0109990888',
    'payctl emulator registry add --iban CR05015202001026284066 --name "Cuenta Cerrada S.A." --document 3101000999 --outcome failed --state-code account_closed',
    'payctl emulator registry add --phone 7111-3333 --name "Pedro Mora" --document 0109990889 --outcome failed --error "Account closed" --status closed',
  ],
})

const remove = endpointCommand('control.registry.remove', {
  summary: 'Remove a customer of another bank; payments in progress continue.',
  args: { '<iban|phone>': { about: 'IBAN or phone of the customer', parse: address, as: 'address' } },
  columns,
  examples: ['payctl emulator registry remove 7111-2222'],
})

/** Address as the registry spells it: an IBAN without spaces, a phone of eight digits. */
function address(text: string): string {
  return /\p{L}/u.test(text) ? normalizeIban(text) : normalizePhone(text)
}

type Scenario = RowOf<'control.scenarios'>

const scenarioColumns = columnsOf<Scenario>(
  'address',
  '-channel',
  '-currency',
  '-outcome',
  {
    ...status('status'),
    text: (scenario: Scenario) =>
      scenario.outcome === 'fee_unknown' ? 'completed: fee_unknown' : withReason(scenario.status ?? '', scenario),
  },
  '-state_code',
  { ...field('seconds', ({ after_ms }: Scenario) => (after_ms ? after_ms / 1000 : after_ms)), align: 'right' },
  'name',
  '-error_message',
)

export const scenarios = endpointCommand('control.scenarios', {
  summary: 'List payees for failing and slow payments',
  about:
    'List payees to which payments fail, hang, are slow or have no known fee, with the final status, the state code, and the seconds until then.',
  columns: scenarioColumns,
  none: 'No such payees.',
  after: () => ({
    words: 'Make your own',
    next: toRun(['emulator', 'registry', 'add', '--phone', '71112222', '--outcome', 'timeout', '...']),
  }),
  examples: ['payctl emulator scenarios', 'payctl emulator scenarios --json'],
})

/** A status with its state code, for people: `failed: account_closed`. */
function withReason(ending: string, { state_code }: { readonly state_code: string | null | undefined }): string {
  return state_code ? `${ending}: ${state_code}` : ending
}
