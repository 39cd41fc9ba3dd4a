import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { secretFromFile } from '../../cli/secret_input.ts'
import { columnsOf, field, prose, time } from '../../output/columns.ts'
import { scopeList } from '../scope_list.ts'

type OAuthClient = RowOf<'control.clients.list'>

const columns = columnsOf<OAuthClient>(
  'client_id',
  'name',
  'public',
  prose('redirect_uris', ({ redirect_uris }: OAuthClient) => redirect_uris.join(' ')),
  { ...field('scopes', ({ scopes }: OAuthClient) => scopes.join(' ')), detail: true },
  { ...time('created_at'), detail: true },
)

export const clients = endpointCommand('control.clients.list', {
  summary: 'List, add and remove OAuth clients',
  about: 'List, add and remove OAuth clients: applications that users can let in.',
  columns,
  none: 'No OAuth clients.',
  examples: [
    'payctl emulator clients',
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback',
  ],
  commands: { add: () => add, remove: () => remove },
})

const add = endpointCommand('control.clients.create', {
  summary: 'Add an OAuth client; a generated secret is shown only here.',
  args: { '<id>': { about: 'its client_id' } },
  flags: {
    '--redirect-uri <uri...>': { about: 'where users go back to; on a loopback host any port will do', required: true },
    '--name <name>': { about: 'on the consent page (default: the id)' },
    '--secret-file <file>': { about: 'file with its secret (default: generated)', of: 'file' },
    '--public': { about: 'no secret, and PKCE is required: a native or browser app', conflicts: 'secretFile' },
    '--scopes <a,b>': { about: 'what it may ask for (default: all)', parse: scopeList },
  },
  async members({ id, redirectUri, name, secretFile, public: isPublic, scopes }) {
    return {
      client_id: id,
      name,
      public: isPublic,
      client_secret: secretFile === undefined ? undefined : await secretFromFile(secretFile, '--secret-file'),
      redirect_uris: redirectUri,
      scopes,
    }
  },
  columns: columnsOf<RowOf<'control.clients.create'>>('client_id', 'client_secret', ...columns.slice(1)),
  examples: [
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback --secret-file shop.secret',
    'payctl emulator clients add wallet --public --redirect-uri com.example.wallet:/callback',
  ],
})

const remove = endpointCommand('control.clients.remove', {
  summary: 'Remove an OAuth client, with all tokens users gave it.',
  args: { '<id>': { about: 'its client_id', sends: 'client_id' } },
  columns,
  examples: ['payctl emulator clients remove shop'],
})
