import { documentNumber } from '../../cli/arguments.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { normalizePhone } from '../../contract/phone.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, time, words } from '../../output/columns.ts'

type User = RowOf<'control.users.list'>

const columns = columnsOf<User>(
  { ...field('id'), shortened: true, uncut: true },
  words('name'),
  '-email',
  'phone',
  'document_number',
  '-document_type',
  { ...time('created_at'), detail: true },
)

export const users = endpointCommand('control.users.list', {
  summary: 'List and add users',
  about: 'List and add users, who can have their own accounts and tokens.',
  columns,
  none: { words: 'No users.', next: toRun(['emulator', 'users', 'create'], 'Add one') },
  examples: ['payctl emulator users', 'payctl emulator users create --name "Luis Mora" --phone 6123-4567'],
  commands: { create: () => create },
})

const create = endpointCommand('control.users.create', {
  summary: 'Add a user, who has no accounts yet.',
  flags: {
    '--name <name>': { about: 'their name', required: true },
    '--email <address>': { about: 'their email address (default: generated)' },
    '--phone <phone>': { about: 'enrolled in SINPE Móvil (default: none)', parse: normalizePhone },
    '--document <number>': {
      about: 'identity document (default: generated)',
      parse: documentNumber,
      sends: 'document_number',
    },
  },
  columns,
  after: ({ id }) => ({ words: 'A token for them', next: toRun(['emulator', 'token', '--user', `${id}`]) }),
  examples: ['payctl emulator users create --name "Luis Mora" --phone 6123-4567 --document 0109990777'],
})
