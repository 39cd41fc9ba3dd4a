import type { CommandModule } from '../context.ts'
import { get } from './get.ts'
import { history } from './history.ts'
import { intents } from './intents.ts'
import { resume } from './resume.ts'
import { send } from './send.ts'
import { serviceStatus } from './service_status.ts'
import { validate } from './validate.ts'
import { watch } from './watch.ts'

export const payments: CommandModule = (command, context) => {
  command.description('Send, check and follow payments.')
  for (const verb of [send, validate, get, watch, history, serviceStatus, intents, resume]) verb(command, context)
}
