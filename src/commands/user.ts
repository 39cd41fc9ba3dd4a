import { endpointCommand, type RowOf } from '../cli/endpoint_command.ts'
import { columnsOf, time } from '../output/columns.ts'

export const user = endpointCommand('user.get', {
  summary: 'Who you are to the service',
  about: 'Show the user that the token belongs to.',
  columns: columnsOf<RowOf<'user.get'>>(
    'id',
    'name',
    'email',
    time('email_verified_at'),
    time('created_at'),
    time('updated_at'),
  ),
  examples: ['payctl --emulator user', 'payctl user --json'],
})
