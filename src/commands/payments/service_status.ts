import { command } from '../../cli/command.ts'
import { answer } from '../../cli/prints.ts'
import type { ServiceStatus } from '../../client/received.ts'
import { columnsOf, status } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { foreign } from '../../words/text.ts'

/** A column that shows true or false. */
const flag = (name: string, data: (row: ServiceStatus) => boolean | null | undefined): Column<ServiceStatus> => ({
  name,
  data,
  text: (row) => foreign(String(data(row) ?? '')),
})

const columns = columnsOf<ServiceStatus>(
  status('overall_status'),
  status('pin_service', ({ pin_service }: ServiceStatus) => pin_service.status),
  status('sinpe_service', ({ sinpe_service }: ServiceStatus) => sinpe_service.status),
  flag('pin_available', ({ pin_service }) => pin_service.available),
  flag('sinpe_available', ({ sinpe_service }) => sinpe_service.available),
)

export const serviceStatus = command({
  summary: 'Show whether PIN and SINPE Móvil are online',
  about: 'Show whether PIN and SINPE Móvil are online. Needs no token; the exit code is 0 whatever the status is.',
  prints: answer('payments.serviceStatus'),
  examples: ['payctl payments service-status', 'payctl payments service-status --json'],
  async run(_, context) {
    const client = await context.client('anonymous')
    await context.output.record(await client.call('payments.serviceStatus'), columns)
  },
})
