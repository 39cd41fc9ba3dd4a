import { Option } from 'commander'
import type { Received } from '../../client/received.ts'
import type { FaultRule } from '../../contract/control/faults.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { nearest } from '../../errors/nearest.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { integer } from '../arguments.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { controlled, steer } from './steer.ts'

const columns: readonly Column<Received<FaultRule>>[] = [
  field('endpoint', ({ endpoint }) => endpoint),
  field('status', ({ status }) => status),
  {
    ...field<Received<FaultRule>>('times', ({ times }) => times),
    text: ({ times }) => (times === null ? 'always' : `${times}`),
  },
]

export const faults: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show which endpoints of the service answer with an error instead of doing their work, have another one do so, ' +
        'or end it for all.',
    )
    .usage('[command]')
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.faults.list'))
      await context.output.list(all, columns, { none: 'No faults.' })
    })
  examples(command, ['payctl emulator faults', 'payctl emulator faults add payments.create 500'])
  return {
    add: {
      summary: 'Have an endpoint of the service answer with one of its errors, and do nothing.',
      usage: '<endpoint> <status>',
      load: () => add,
    },
    clear: { summary: 'End all faults. Prints those that were left.', load: () => clear },
  }
}

interface Flags {
  readonly times?: number
  readonly always?: boolean
}

const add: CommandModule = (command, context) => {
  controlled(command)
    .argument('<endpoint>', 'its id; payctl api lists them')
    .argument('<status>', 'one of its error statuses', integer({ min: 400, max: 599 }))
    .option('--times <n>', 'how often (default: 1)', integer({ min: 1 }))
    .addOption(new Option('--always', 'until the faults are cleared').conflicts('times'))
    .action(async (id: string, status: number, { times = 1, always }: Flags) => {
      const body = { endpoint: await endpointId(id), status, times: always ? null : times }
      const rule = await steer(command, context, (control) => control.call('control.faults.add', { body }))
      await context.output.record(rule, columns)
    })
  examples(command, [
    'payctl emulator faults add payments.create 500',
    'payctl emulator faults add accounts.balance 503 --times 3',
    'payctl emulator faults add payments.serviceStatus 500 --always',
  ])
}

const clear: CommandModule = (command, context) => {
  controlled(command).action(async () => {
    const left = await steer(command, context, (control) => control.call('control.faults.clear'))
    await context.output.list(left, columns, { none: 'There were no faults.' })
  })
  examples(command, ['payctl emulator faults clear'])
}

async function endpointId(text: string): Promise<EndpointId> {
  const { endpoints } = await import('../../contract/endpoints.ts')
  if (Object.hasOwn(endpoints, text)) return text as EndpointId
  const near = nearest(text, Object.keys(endpoints))
  throw new UsageError(
    `There is no endpoint ${text}.`,
    near ? `Perhaps you mean ${near}` : 'See which there are: payctl api',
  )
}
