import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { storedToken } from '../../cli/stored_token.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

interface Printed {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly base_url: string
}

const columns: readonly Column<Printed>[] = [
  field('access_token', ({ access_token }) => access_token),
  field('token_type', ({ token_type }) => token_type),
  field('base_url', ({ base_url }) => base_url),
]

export const token: CommandModule = (command, context) => {
  command
    .description(
      'Print the access token alone on a line, renewed first when it is about to expire. Whoever reads it can use it: ' +
        'keep it out of files, logs and the arguments of commands.',
    )
    .action(async () => {
      const target = await context.target()
      const access_token = target.token ?? (await (await storedToken(context)).token())
      const { output } = context
      if (output.format === 'table' || output.format === 'tsv') return output.line(access_token)
      await output.record({ access_token, token_type: 'Bearer', base_url: target.baseUrl }, columns)
    })
  examples(command, ['PAYCTL_TOKEN=$(payctl auth token) ./nightly.sh', 'payctl auth token --json'])
}
