import type { CommandModule } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import type { User } from '../client/received.ts'
import { field, time } from '../output/columns.ts'
import type { Column } from '../output/output.ts'

const columns: readonly Column<User>[] = [
  field('id', ({ id }) => id),
  field('name', ({ name }) => name),
  field('email', ({ email }) => email),
  time('email_verified_at', (user) => user.email_verified_at),
  time('created_at', (user) => user.created_at),
  time('updated_at', (user) => user.updated_at),
]

export const user: CommandModule = (command, context) => {
  command.description('Show the user that the token belongs to.').action(async () => {
    const client = await context.client()
    await context.output.record(await client.call('user.get'), columns)
  })
  examples(command, ['payctl --emulator user', 'payctl user --json'])
}
