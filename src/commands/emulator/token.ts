import type { Command } from 'commander'
import { emulatedDuration, integer } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { TokenEntry } from '../../contract/control/tokens.ts'
import { allScopes, type Scope } from '../../contract/scopes.ts'
import { toRun } from '../../errors/next_step.ts'
import { ContractError } from '../../errors/service_errors.ts'
import { field, prose, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { scopeList } from '../scope_list.ts'
import { worldId } from './world_id.ts'

interface Flags {
  readonly user?: string
  readonly scopes?: readonly Scope[]
  readonly expiresIn?: number
}

const expires = time<Received<TokenEntry>>('expires_at', ({ expires_at }) => expires_at)

const columns: readonly Column<Received<TokenEntry>>[] = [
  field('id', ({ id }) => id),
  { ...field<Received<TokenEntry>>('user', ({ user }) => user), shortened: true, uncut: true },
  {
    ...expires,
    text: (entry) => (entry.revoked_at === null ? (expires.text?.(entry) ?? '') : 'revoked'),
    tone: ({ revoked_at }) => (revoked_at === null ? undefined : 'dim'),
  },
  { ...time<Received<TokenEntry>>('revoked_at', ({ revoked_at }) => revoked_at), detail: true },
  { ...time<Received<TokenEntry>>('created_at', ({ created_at }) => created_at), detail: true },
  prose('scopes', ({ scopes }) => scopes.join(' ')),
]

export const token: CommandModule = (command, context) => {
  controlled(command)
    .description('Make an access token and print it; its secret is shown only here.')
    .usage('[options] [command]')
    .option('--scopes <a,b>', `what it may do (default: all): ${allScopes.join(', ')}`, scopeList)
    .option('--expires-in <duration>', 'of the emulator’s clock: 90s, 1h, 30d (default: never)', emulatedDuration)
    .option('--user <user>', 'whose it is: their id, or a part of it (default: the demo’s user)')
    .action((flags: Flags) => mint(command, context, flags))
  examples(command, [
    'payctl emulator token',
    'payctl emulator token --scopes read-accounts,send-payments --expires-in 1h',
    'PAYCTL_TOKEN=$(payctl emulator token --scopes read-user) payctl user',
  ])
  return {
    list: { summary: 'List the access tokens, without their secrets.', load: () => list },
    revoke: { summary: 'Make an access token invalid.', usage: '<id>', load: () => revoke },
  }
}

async function mint(verb: Command, context: Context, { user: text, scopes, expiresIn }: Flags): Promise<void> {
  const body = {
    scopes: scopes && [...scopes],
    expires_in: expiresIn && Math.ceil(expiresIn / 1000),
  }
  const minted = await steer(verb, context, async (control) => {
    const user = text === undefined ? undefined : await worldId({ text, kind: 'user' }, control, context)
    return control.call('control.tokens.mint', { body: { ...body, user } })
  })
  const { output } = context
  if (output.format !== 'table' && output.format !== 'tsv') {
    return output.record(minted, [field('token', (made) => made.token), ...columns])
  }
  if (!minted.token) throw new ContractError('The emulator does not say which token it made.')
  await output.line(minted.token)
}

const list: CommandModule = (command, context) => {
  controlled(command).action(async () => {
    const all = await steer(command, context, (control) => control.call('control.tokens.list'))
    await context.output.list(all, columns, {
      none: withHint('No tokens.', toRun(['emulator', 'token'], 'Make one'), context.globals),
    })
  })
  listOptions(command, { columns, schema: 'TokenEntry' }, context)
  examples(command, ['payctl emulator token list'])
}

const revoke: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its id; payctl emulator token list shows them', integer({ min: 1, max: 1e15 - 1 }))
    .action(async (id: number) => {
      const input = { params: { id: String(id) } }
      const revoked = await steer(command, context, (control) => control.call('control.tokens.revoke', input))
      await context.output.record(revoked, columns)
    })
  examples(command, ['payctl emulator token revoke 3'])
}
