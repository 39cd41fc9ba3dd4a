import { emulatedDuration, integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { allScopes } from '../../contract/scopes.ts'
import { toRun } from '../../errors/next_step.ts'
import { ContractError } from '../../errors/service_errors.ts'
import { columnsOf, field, prose, time } from '../../output/columns.ts'
import { scopeList } from '../scope_list.ts'
import { worldId } from './world_id.ts'

type Token = RowOf<'control.tokens.list'>

const expires = time('expires_at', ({ expires_at }: Token) => expires_at)

const columns = columnsOf<Token>(
  'id',
  { ...field('user'), shortened: true, uncut: true },
  {
    ...expires,
    text: (entry) => (entry.revoked_at === null ? (expires.text?.(entry) ?? '') : 'revoked'),
    tone: ({ revoked_at }) => (revoked_at === null ? undefined : 'dim'),
  },
  { ...time('revoked_at'), detail: true },
  { ...time('created_at'), detail: true },
  prose('scopes', ({ scopes }: Token) => scopes.join(' ')),
)

export const token = command({
  summary: 'Make an access token, list or revoke them',
  about: 'Make an access token and print it; its secret is shown only here.',
  flags: {
    ...controlFlags,
    '--scopes <a,b>': { about: `what it may do (default: all): ${allScopes.join(', ')}`, parse: scopeList },
    '--expires-in <duration>': {
      about: 'of the emulator’s clock: 90s, 1h, 30d (default: never)',
      parse: emulatedDuration,
    },
    '--user <user>': { about: 'whose it is: their id, or a part of it (default: the demo’s user)', of: 'user' },
  },
  prints: answer('control.tokens.mint'),
  examples: [
    'payctl emulator token',
    'payctl emulator token --scopes read-accounts,send-payments --expires-in 1h',
    'PAYCTL_TOKEN=$(payctl emulator token --scopes read-user) payctl user',
  ],
  commands: { list: () => list, revoke: () => revoke },
  async run({ user: text, scopes, expiresIn, ...steering }, context) {
    const minted = await steer(steering, context, async (control) => {
      const user = text === undefined ? undefined : await worldId({ text, kind: 'user' }, control, context)
      const body = { scopes: scopes && [...scopes], expires_in: expiresIn && Math.ceil(expiresIn / 1000), user }
      return control.call('control.tokens.mint', { body })
    })
    const { output } = context
    if (output.format !== 'table' && output.format !== 'tsv') {
      return output.record(minted, columnsOf<typeof minted>('token', ...columns))
    }
    if (!minted.token) throw new ContractError('The emulator does not say which token it made.')
    await output.line(minted.token)
  },
})

const list = endpointCommand('control.tokens.list', {
  summary: 'List the access tokens, without their secrets.',
  columns,
  none: { words: 'No tokens.', next: toRun(['emulator', 'token'], 'Make one') },
  examples: ['payctl emulator token list'],
})

const revoke = endpointCommand('control.tokens.revoke', {
  summary: 'Make an access token invalid.',
  args: {
    '<id>': {
      about: 'its id; payctl emulator token list shows them',
      parse: (text: string) => `${integer({ min: 1, max: 1e15 - 1 })(text)}`,
    },
  },
  columns,
  examples: ['payctl emulator token revoke 3'],
})
