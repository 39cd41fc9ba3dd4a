import type { Received } from '../../client/received.ts'
import type { WorldUser } from '../../contract/control/users.ts'
import { normalizePhone } from '../../contract/phone.ts'
import { toRun } from '../../errors/next_step.ts'
import { detail, field, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { documentNumber } from '../arguments.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { listOptions } from '../list_options.ts'
import { withHint } from '../next_step.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<Received<WorldUser>>[] = [
  { ...field<Received<WorldUser>>('id', ({ id }) => id), shortened: true, uncut: true },
  words('name', ({ name }) => name),
  detail('email', ({ email }) => email),
  field('phone', ({ phone }) => phone),
  field('document_number', ({ document_number }) => document_number),
  detail('document_type', ({ document_type }) => document_type),
  { ...time<Received<WorldUser>>('created_at', ({ created_at }) => created_at), detail: true },
]

export const users: CommandModule = (command, context) => {
  controlled(command)
    .description('List and add users, who can have accounts and tokens of their own.')
    .usage('[command]')
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.users.list'))
      await context.output.list(all, columns, {
        none: withHint('No users.', toRun(['emulator', 'users', 'create'], 'Add one'), context.globals),
      })
    })
  listOptions(command, { columns, schema: 'WorldUser' }, context)
  examples(command, ['payctl emulator users', 'payctl emulator users create --name "Luis Mora" --phone 6123-4567'])
  return {
    create: { summary: 'Add a user, who has no accounts yet.', load: () => create },
  }
}

interface Flags {
  readonly name: string
  readonly email?: string
  readonly phone?: string
  readonly document?: string
}

const create: CommandModule = (command, context) => {
  controlled(command)
    .requiredOption('--name <name>', 'their name')
    .option('--email <address>', 'their email address (default: made up)')
    .option('--phone <phone>', 'enrolled in SINPE Móvil (default: none)', normalizePhone)
    .option('--document <number>', 'identity document (default: made up)', documentNumber)
    .action(async ({ name, email, phone, document }: Flags) => {
      const body = { name, email, phone, document_number: document }
      const user = await steer(command, context, (control) => control.call('control.users.create', { body }))
      await context.output.record(user, columns)
      context.output.note(
        withHint('A token for them', toRun(['emulator', 'token', '--user', `${user.id}`]), context.globals),
      )
    })
  examples(command, ['payctl emulator users create --name "Luis Mora" --phone 6123-4567 --document 0109990777'])
}
