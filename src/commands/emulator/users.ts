import { documentNumber, emulatedDuration, integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { secretFromFile } from '../../cli/secret_input.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { normalizePhone } from '../../contract/phone.ts'
import { allScopes } from '../../contract/scopes.ts'
import { toRun } from '../../errors/next_step.ts'
import { ContractError } from '../../errors/service_errors.ts'
import { columnsOf, field, prose, time, words } from '../../output/columns.ts'
import { localTime } from '../../run/time.ts'
import { scopeList } from '../scope_list.ts'
import { worldId } from './world_id.ts'

type User = RowOf<'control.users.list'>

const userColumns = columnsOf<User>(
  { ...field('id'), shortened: true, uncut: true },
  words('name'),
  '-email',
  'phone',
  'document_number',
  '-document_type',
  { ...time('created_at'), detail: true },
)

export const users = endpointCommand('control.users.list', {
  summary: 'List and add users',
  about: 'List and add users. Each user can have accounts and tokens.',
  columns: userColumns,
  none: { words: 'No users.', next: toRun(['emulator', 'users', 'create'], 'Add one') },
  examples: ['payctl emulator users', 'payctl emulator users create --name "Luis Mora" --phone 6123-4567'],
  commands: { create: () => createUser },
})

const createUser = endpointCommand('control.users.create', {
  summary: 'Add a user without accounts.',
  flags: {
    '--name <name>': { about: 'name of the user', required: true },
    '--email <address>': { about: 'email address (default: generated)' },
    '--phone <phone>': { about: 'phone enrolled in SINPE Móvil (default: none)', parse: normalizePhone },
    '--document <number>': {
      about: 'identity document (default: generated)',
      parse: documentNumber,
      sends: 'document_number',
    },
  },
  columns: userColumns,
  after: ({ id }) => ({ words: 'Make a token for the user', next: toRun(['emulator', 'token', '--user', `${id}`]) }),
  examples: ['payctl emulator users create --name "Luis Mora" --phone 6123-4567 --document 0109990777'],
})

type Token = RowOf<'control.tokens.list'>

const tokenColumns = columnsOf<Token>(
  'id',
  { ...field('user'), shortened: true, uncut: true },
  {
    ...time('expires_at'),
    text: ({ expires_at, revoked_at }: Token) => (revoked_at === null ? localTime(expires_at) : 'revoked'),
    tone: ({ revoked_at }: Token) => (revoked_at === null ? undefined : 'dim'),
  },
  { ...time('revoked_at'), detail: true },
  { ...time('created_at'), detail: true },
  prose('scopes', ({ scopes }: Token) => scopes.join(' ')),
)

export const token = command({
  summary: 'Make, list and revoke access tokens',
  about: 'Make an access token and print it. The token is not shown again.',
  flags: {
    ...controlFlags,
    '--scopes <a,b>': { about: `its scopes (default: all): ${allScopes.join(', ')}`, parse: scopeList },
    '--expires-in <duration>': {
      about: 'lifetime by the emulator’s clock: 90s, 1h, 30d (default: unlimited)',
      parse: emulatedDuration,
    },
    '--user <user>': { about: 'user of the token: id, or a part of it (default: the demo user)', of: 'user' },
  },
  prints: answer('control.tokens.mint'),
  examples: [
    'payctl emulator token',
    'payctl emulator token --scopes read-accounts,send-payments --expires-in 1h',
    'PAYCTL_TOKEN=$(payctl emulator token --scopes read-user) payctl user',
  ],
  commands: { list: () => listTokens, revoke: () => revokeToken },
  async run({ user: text, scopes, expiresIn, ...steering }, context) {
    const minted = await steer(steering, context, async (control) => {
      const user = text === undefined ? undefined : await worldId({ text, kind: 'user' }, control, context)
      const body = { scopes: scopes && [...scopes], expires_in: expiresIn && Math.ceil(expiresIn / 1000), user }
      return control.call('control.tokens.mint', { body })
    })
    const { output } = context
    if (output.format !== 'table' && output.format !== 'tsv') {
      return output.record(minted, columnsOf<typeof minted>('token', ...tokenColumns))
    }
    if (!minted.token) throw new ContractError('The emulator’s answer has no token.')
    await output.line(minted.token)
  },
})

const listTokens = endpointCommand('control.tokens.list', {
  summary: 'List the access tokens, without their secrets.',
  columns: tokenColumns,
  none: { words: 'No tokens.', next: toRun(['emulator', 'token'], 'Make one') },
  examples: ['payctl emulator token list'],
})

const revokeToken = endpointCommand('control.tokens.revoke', {
  summary: 'Revoke an access token.',
  args: {
    '<id>': {
      about: 'id of the token; payctl emulator token list shows it',
      parse: (text: string) => `${integer({ min: 1, max: 1e15 - 1 })(text)}`,
    },
  },
  columns: tokenColumns,
  examples: ['payctl emulator token revoke 3'],
})

type OAuthClient = RowOf<'control.clients.list'>

const clientColumns = columnsOf<OAuthClient>(
  'client_id',
  'name',
  'public',
  prose('redirect_uris', ({ redirect_uris }: OAuthClient) => redirect_uris.join(' ')),
  { ...field('scopes', ({ scopes }: OAuthClient) => scopes.join(' ')), detail: true },
  { ...time('created_at'), detail: true },
)

export const clients = endpointCommand('control.clients.list', {
  summary: 'List, add and remove OAuth clients',
  about: 'List, add and remove OAuth clients: applications that users can authorize.',
  columns: clientColumns,
  none: 'No OAuth clients.',
  examples: [
    'payctl emulator clients',
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback',
  ],
  commands: { add: () => addClient, remove: () => removeClient },
})

const addClient = endpointCommand('control.clients.create', {
  summary: 'Add an OAuth client. A generated secret is not shown again.',
  args: { '<id>': { about: 'its client_id' } },
  flags: {
    '--redirect-uri <uri...>': {
      about: 'URI to which users are redirected; on a loopback host any port matches',
      required: true,
    },
    '--name <name>': { about: 'name on the consent page (default: the id)' },
    '--secret-file <file>': { about: 'file with the client’s secret (default: generated)', of: 'file' },
    '--public': { about: 'native or browser app: no secret, PKCE is required', conflicts: 'secretFile' },
    '--scopes <a,b>': { about: 'scopes that the client may request (default: all)', parse: scopeList },
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
  columns: columnsOf<RowOf<'control.clients.create'>>('client_id', 'client_secret', ...clientColumns.slice(1)),
  examples: [
    'payctl emulator clients add shop --redirect-uri https://shop.example/callback --secret-file shop.secret',
    'payctl emulator clients add wallet --public --redirect-uri com.example.wallet:/callback',
  ],
})

const removeClient = endpointCommand('control.clients.remove', {
  summary: 'Remove an OAuth client, with all its tokens.',
  args: { '<id>': { about: 'its client_id', sends: 'client_id' } },
  columns: clientColumns,
  examples: ['payctl emulator clients remove shop'],
})
