import { Option } from 'commander'
import { documentNumber, integer } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { hintOf, withHint } from '../../cli/next_step.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import { Outcome, type RegistryEntry, type Scenario } from '../../contract/control/registry.ts'
import { normalizeIban } from '../../contract/iban.ts'
import { currencies } from '../../contract/payment_names.ts'
import { normalizePhone } from '../../contract/phone.ts'
import { IbanStatus } from '../../contract/schemas/lookup.ts'
import type { Currency } from '../../contract/schemas/money.ts'
import { toRun } from '../../errors/next_step.ts'
import { detail, field, status, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

const columns: readonly Column<Received<RegistryEntry>>[] = [
  field('address', ({ address }) => address),
  detail('channel', ({ channel }) => channel),
  {
    ...field<Received<RegistryEntry>>('outcome', ({ outcome }) => outcome),
    text: (entry) => withReason(entry.outcome ?? '', entry),
    uncut: true,
  },
  detail('state_code', ({ state_code }) => state_code),
  detail('error', ({ error }) => error),
  detail('status', (entry) => entry.status),
  detail('currency', ({ currency }) => currency),
  detail('document_number', ({ document_number }) => document_number),
  detail('document_type', ({ document_type }) => document_type),
  field('name', ({ name }) => name),
  { ...words<Received<RegistryEntry>>('entity_name', (entry) => entry.entity_name), dispensable: true },
]

export const registry: CommandModule = (command, context) => {
  controlled(command)
    .description('List, add and remove customers of other banks: who payments can go to, and how they end.')
    .usage('[command]')
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.registry.list'))
      await context.output.list(all, columns, {
        none: withHint('Nobody.', toRun(['emulator', 'registry', 'add', '...'], 'Add somebody'), context.globals),
      })
    })
  listOptions(command, { columns, schema: 'RegistryEntry' }, context)
  examples(command, ['payctl emulator registry', 'payctl emulator registry add --help'])
  return {
    add: { summary: 'Add a customer of another bank.', load: () => add },
    remove: {
      summary: 'Remove a customer of another bank; payments under way to them go on.',
      usage: '<iban|phone>',
      load: () => remove,
    },
  }
}

interface Flags {
  readonly iban?: string
  readonly phone?: string
  readonly name: string
  readonly document: string
  readonly documentType?: number
  readonly currency?: Currency
  readonly outcome?: Outcome
  readonly stateCode?: string
  readonly error?: string
  readonly status?: IbanStatus
}

const add: CommandModule = (command, context) => {
  controlled(command)
    .option('--iban <iban>', 'their IBAN, with right check digits (unless --lenient-iban)', normalizeIban)
    .addOption(new Option('--phone <phone>', 'or their phone').argParser(normalizePhone).conflicts('iban'))
    .requiredOption('--name <name>', 'their name')
    .requiredOption('--document <number>', 'their identity document', documentNumber)
    .option('--document-type <n>', 'SINPE’s code (default: by the number)', integer({ min: 0, max: 9 }))
    .addOption(new Option('--currency <currency>', 'of their account (default: CRC)').choices(currencies))
    .addOption(new Option('--outcome <outcome>', 'how payments to them end (default: completed)').choices(Outcome.enum))
    .option('--state-code <code>', 'why, with --outcome failed: any code, as account_closed (default: rejected)')
    .option('--error <text>', 'the same for people (default: the usual text of the code)')
    .addOption(
      new Option('--status <status>', 'what looking up their IBAN shows (default: by --state-code)').choices(
        IbanStatus.enum,
      ),
    )
    .action(async (flags: Flags) => {
      const { iban, phone, name, document, documentType, currency, outcome, stateCode, error, status } = flags
      const body = {
        iban,
        phone,
        name,
        document_number: document,
        document_type: documentType,
        currency,
        outcome,
        state_code: stateCode,
        error,
        status,
      }
      const entry = await steer(command, context, (control) => control.call('control.registry.add', { body }))
      await context.output.record(entry, columns)
    })
  examples(command, [
    'payctl emulator registry add --phone 7111-2222 --name "Beatriz Solís" --document 0109990888',
    'payctl emulator registry add --iban CR05015202001026284066 --name "Cuenta Cerrada S.A." --document 3101000999 --outcome failed --state-code account_closed',
    'payctl emulator registry add --phone 7111-3333 --name "Pedro Mora" --document 0109990889 --outcome failed --error "Account closed" --status closed',
  ])
}

const remove: CommandModule = (command, context) => {
  controlled(command)
    .argument('<iban|phone>', 'their address', address)
    .action(async (value: string) => {
      const input = { params: { address: value } }
      const entry = await steer(command, context, (control) => control.call('control.registry.remove', input))
      await context.output.record(entry, columns)
    })
  examples(command, ['payctl emulator registry remove 7111-2222'])
}

/** The spelling of the registry: an IBAN without spaces, a phone of eight digits. */
const address = (text: string): string => (/\p{L}/u.test(text) ? normalizeIban(text) : normalizePhone(text))

const scenarioColumns: readonly Column<Received<Scenario>>[] = [
  field('address', ({ address }) => address),
  detail('channel', ({ channel }) => channel),
  detail('currency', ({ currency }) => currency),
  detail('outcome', ({ outcome }) => outcome),
  {
    ...status<Received<Scenario>>('status', (scenario) => scenario.status),
    text: (scenario) =>
      scenario.outcome === 'fee_unknown' ? 'completed: fee_unknown' : withReason(scenario.status ?? '', scenario),
  },
  detail('state_code', ({ state_code }) => state_code),
  {
    ...field<Received<Scenario>>('seconds', ({ after_ms }) => (after_ms ? after_ms / 1000 : after_ms)),
    align: 'right',
  },
  field('name', ({ name }) => name),
  detail('error_message', ({ error_message }) => error_message),
]

const ownScenario = toRun(
  ['emulator', 'registry', 'add', '--phone', '71112222', '--outcome', 'timeout', '...'],
  'Make your own',
)

export const scenarios: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'List recipients whose payments do not simply complete: the status a payment to them ends in, why, and after how long.',
    )
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.scenarios'))
      await context.output.list(all, scenarioColumns, { none: 'No such recipients.' })
      context.output.note(hintOf(ownScenario, context.globals))
    })
  listOptions(command, { columns: scenarioColumns, schema: 'Scenario' }, context)
  examples(command, ['payctl emulator scenarios', 'payctl emulator scenarios --json'])
}

interface Ended {
  readonly state_code: string | null | undefined
}

/** `failed: account_closed`, for people. */
const withReason = (ending: string, { state_code }: Ended): string => (state_code ? `${ending}: ${state_code}` : ending)
