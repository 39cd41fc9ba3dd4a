import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { clock } from './clock.ts'
import { credit } from './credit.ts'
import { deliveries } from './deliveries.ts'
import { faults } from './faults.ts'
import { fees } from './fees.ts'
import { fx } from './fx.ts'
import { rail } from './rail.ts'
import { registry } from './registry.ts'
import { reset } from './reset.ts'
import { scenarios } from './scenarios.ts'
import { status } from './status.ts'
import { controlToken } from './steer.ts'
import { token } from './token.ts'
import { users } from './users.ts'

export const emulator: CommandModule = (command, context) => {
  command
    .description(
      'Steer the emulator that runs on this machine. Of several, the newest is looked at; --base-url names one, and what changes something wants that.',
    )
    .addOption(controlToken())
  for (const verb of [
    status,
    reset,
    credit,
    rail,
    fees,
    fx,
    faults,
    scenarios,
    registry,
    users,
    token,
    deliveries,
    clock,
  ])
    verb(command, context)
  examples(command, ['payctl emulator status', 'payctl emulator clock advance 1h', 'payctl emulator rail pin offline'])
}
