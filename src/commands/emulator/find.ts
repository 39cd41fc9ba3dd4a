import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, words } from '../../output/columns.ts'

type Match = RowOf<'control.find'>

export const find = endpointCommand('control.find', {
  summary: 'Find what an id, key, IBAN or phone belongs to',
  about:
    'Find what an id, reference, idempotency key, IBAN or phone belongs to: payments, requests, deliveries, ' +
    'accounts, users. If nothing matches exactly, also finds parts of ids and of payments.',
  args: { '<text>': { about: 'any id, reference, key, IBAN or phone', as: 'id' } },
  columns: columnsOf<Match>(
    { ...words('kind'), width: 'scheduled_credit'.length },
    { ...words('id'), width: 36, uncut: true },
    { ...words('about'), width: 40 },
    '-matched',
  ),
  none: 'Nothing in this world matches.',
  after: (matches) => {
    const [first] = matches
    const opener = openers[first?.kind ?? '']?.(first?.id ?? '')
    return opener
      ? { words: 'Open the first match', next: toRun(['emulator', ...opener]) }
      : 'Other worlds: --world <name>.'
  },
  examples: [
    'payctl emulator find 2026010500002000000000001',
    'payctl emulator find 87000001',
    'payctl emulator find whd_000000000012 --json',
  ],
})

/** Arguments after `payctl emulator` that show a match. */
const openers: Readonly<Record<string, (id: string) => string[]>> = {
  payment: (id) => ['payments', 'show', id],
  request: (id) => ['requests', 'show', id],
  delivery: (id) => ['deliveries', 'show', id],
  account: (id) => ['account', id],
  user: () => ['users'],
  subscription: () => ['deliveries'],
  scheduled_credit: () => ['credit', 'list'],
  registry_entry: () => ['registry'],
}
