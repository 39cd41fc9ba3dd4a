import { Option } from 'commander'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { secretFromFile } from '../../cli/secret_input.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { ClientEntry, CreatedClient } from '../../contract/control/clients.ts'
import type { Scope } from '../../contract/scopes.ts'
import { field, prose, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { scopeList } from '../scope_list.ts'

const columns: readonly Column<Received<ClientEntry>>[] = [
  field('client_id', ({ client_id }) => client_id),
  field('name', ({ name }) => name),
  field('public', (client) => client.public),
  prose('redirect_uris', ({ redirect_uris }) => redirect_uris.join(' ')),
  { ...field<Received<ClientEntry>>('scopes', ({ scopes }) => scopes.join(' ')), detail: true },
  { ...time<Received<ClientEntry>>('created_at', ({ created_at }) => created_at), detail: true },
]

const createdColumns: readonly Column<Received<CreatedClient>>[] = [
  field('client_id', ({ client_id }) => client_id),
  field('client_secret', ({ client_secret }) => client_secret),
  ...columns.slice(1),
]

export const clients: CommandModule = (command, context) => {
  controlled(command)
    .description('List, add and remove OAuth clients: applications that users can let in.')
    .usage('[command]')
    .action(async () => {
      const all = await steer(command, context, (control) => control.call('control.clients.list'))
      await context.output.list(all, columns, { none: 'No OAuth clients.' })
    })
  listOptions(command, { columns, schema: 'ClientEntry' }, context)
  examples(command, [
    'payctl emulator clients',
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback',
  ])
  return {
    add: {
      summary: 'Add an OAuth client; a secret that is made up is shown only here.',
      usage: '<id>',
      load: () => add,
    },
    remove: { summary: 'Remove an OAuth client, with all tokens users gave it.', usage: '<id>', load: () => remove },
  }
}

interface Flags {
  readonly redirectUri: string[]
  readonly name?: string
  readonly secretFile?: string
  readonly public?: true
  readonly scopes?: readonly Scope[]
}

const add: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its client_id')
    .requiredOption('--redirect-uri <uri...>', 'where users go back to; on a loopback host any port will do')
    .option('--name <name>', 'on the consent page (default: the id)')
    .option('--secret-file <file>', 'file with its secret (default: made up)')
    .addOption(
      new Option('--public', 'no secret, and PKCE is required: a native or browser app').conflicts('secretFile'),
    )
    .option('--scopes <a,b>', 'what it may ask for (default: all)', scopeList)
    .action(async (id: string, { redirectUri, name, secretFile, public: isPublic, scopes }: Flags) => {
      const body = {
        client_id: id,
        name,
        public: isPublic,
        client_secret: secretFile === undefined ? undefined : await secretFromFile(secretFile, '--secret-file'),
        redirect_uris: redirectUri,
        scopes: scopes && [...scopes],
      }
      const made = await steer(command, context, (control) => control.call('control.clients.create', { body }))
      await context.output.record(made, createdColumns)
    })
  examples(command, [
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback --secret-file shop.secret',
    'payctl emulator clients add wallet --public --redirect-uri com.example.wallet:/callback',
  ])
}

const remove: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its client_id')
    .action(async (id: string) => {
      const input = { params: { client_id: id } }
      const removed = await steer(command, context, (control) => control.call('control.clients.remove', input))
      await context.output.record(removed, columns)
    })
  examples(command, ['payctl emulator clients remove shop'])
}
