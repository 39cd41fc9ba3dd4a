import { command } from '../../cli/command.ts'
import { storedToken } from '../../cli/connection.ts'
import { object } from '../../cli/prints.ts'
import { columnsOf } from '../../output/columns.ts'

interface Printed {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly base_url: string
}

const columns = columnsOf<Printed>('access_token', 'token_type', 'base_url')

export const token = command({
  summary: 'Print the access token, for other tools',
  about:
    'Print the access token alone on a line, renewed first when it is about to expire. Anybody who reads it can use it: ' +
    'keep it out of files, logs and the arguments of commands.',
  prints: object(async () => (await import('../schema/machine_shapes.ts')).accessToken),
  examples: ['PAYCTL_TOKEN=$(payctl auth token) ./nightly.sh', 'payctl auth token --json'],
  async run(_, context) {
    const target = await context.target()
    const access_token = target.token ?? (await (await storedToken(context)).token())
    const { output } = context
    if (output.format === 'table' || output.format === 'tsv') return output.line(access_token)
    await output.record({ access_token, token_type: 'Bearer', base_url: target.baseUrl }, columns)
  },
})
