import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import type { ServiceStatus } from '../../client/received.ts'
import { field, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

const columns: readonly Column<ServiceStatus>[] = [
  status('overall_status', ({ overall_status }) => overall_status),
  status('pin_service', ({ pin_service }) => pin_service.status),
  status('sinpe_service', ({ sinpe_service }) => sinpe_service.status),
  field('pin_available', ({ pin_service }) => pin_service.available),
  field('sinpe_available', ({ sinpe_service }) => sinpe_service.available),
]

export const serviceStatus: CommandModule = (command, context) => {
  command
    .description('Show whether PIN and SINPE Móvil are online. Needs no token; exit 0 whatever the status is.')
    .action(async () => {
      const client = await context.client('anonymous')
      await context.output.record(await client.call('payments.serviceStatus'), columns)
    })
  examples(command, ['payctl payments service-status', 'payctl payments service-status --json'])
}
