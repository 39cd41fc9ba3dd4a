import { emulatedDuration, integer } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { hintOf } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, pageFlags, partOf } from '../../cli/page_note.ts'
import { answer, object, rows } from '../../cli/prints.ts'
import { controlFlags, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import type { MadeFrom, UnopenedWorld, WorldEntry } from '../../contract/control/worlds.ts'
import { chaosProfileNames, largestChaosSeed } from '../../contract/emulator_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { byteSize } from '../../output/byte_size.ts'
import { columnsOf, field, id, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { chaosBody, seedBody } from '../emulate/world_files.ts'
import { momentId } from './moments.ts'
import { move } from './move_world.ts'

type Live = Received<WorldEntry>
type Created = RowOf<'control.worlds.create'>
type Ended = RowOf<'control.worlds.delete'>
type Unopened = Received<UnopenedWorld>
type Listed = Live | Unopened | Ended

const isEnded = (world: Listed | Created): world is Ended => world.status === 'ended'
const isUnopened = (world: Listed): world is Unopened => world.status === 'unread' || world.status === 'broken'

type Cell = string | number | null | undefined

/** Columns with values only for live worlds that could be opened (`ofLive`), or only for ended worlds (`ofEnded`). */
const ofLive = (name: string, data: (world: Live) => Cell): Column<Listed> =>
  field(name, (world) => (isEnded(world) || isUnopened(world) ? null : data(world)))
const ofEnded = (name: string, data: (world: Ended) => Cell): Column<Listed> =>
  field(name, (world) => (isEnded(world) ? data(world) : null))

const columns = columnsOf<Listed>(
  'name',
  {
    ...status('status'),
    text: (world: Listed) => (isEnded(world) ? `ended: ${world.ended_by ?? ''}` : (world.status ?? '')),
    tone: (world: Listed) => (isEnded(world) ? 'dim' : world.status === 'broken' ? 'bad' : 'good'),
  },
  ofLive('made_from', ({ made_from }) => originOf(made_from)),
  ofLive('requests', ({ requests }) => requests),
  ofEnded('late_requests', ({ late_requests }) => late_requests),
  byteSize('size_bytes', (world: Listed) => (isEnded(world) || isUnopened(world) ? null : world.size_bytes)),
  '-id',
  { ...ofLive('rng_stream', ({ rng_stream }) => rng_stream), detail: true },
  { ...ofLive('created_at', ({ created_at }) => created_at), detail: true },
  { ...ofLive('ttl_seconds', ({ ttl_seconds }) => ttl_seconds), detail: true },
  { ...ofLive('idle_ms', ({ idle_ms }) => idle_ms), detail: true },
  { ...ofLive('open', ({ open }) => (open === undefined ? null : String(open))), detail: true },
  { ...ofEnded('ended_at', ({ ended_at }) => ended_at), detail: true },
)

const createdColumns = columnsOf<Created>(
  'name',
  'base_url',
  'token',
  { ...id<Created>('accounts', accountIds), text: (world) => accountIds(world, true) },
  field('user', ({ user }: Created) => user.id),
  'client_id',
  'client_secret',
  field('made_from', ({ made_from }: Created) => originOf(made_from)),
  'rng_stream',
  'ttl_seconds',
  time('created_at'),
  'requests',
  byteSize('size_bytes'),
)

const endedColumns = columnsOf<Ended>(
  'name',
  'status',
  'ended_by',
  time('ended_at'),
  'late_requests',
  field('latest', ({ latest }: Ended) => latest.map(({ method, path, at }) => `${method} ${path} ${at}`).join(', ')),
)

export function originOf({ seed, snapshot, world, moment, file }: Received<MadeFrom>): string {
  if (world) return moment ? `world ${world} at ${moment}` : `world ${world}`
  if (snapshot) return `snapshot ${snapshot}`
  return file ? `file ${file.slice(0, 12)}` : `seed ${seed ?? ''}`
}

function accountIds({ accounts }: Created, withCurrency = false): string {
  return accounts.map(({ id, currency }) => (withCurrency ? `${id} ${currency}` : id)).join(withCurrency ? ', ' : ' ')
}

/** Flags for the lifetime and the port of a new world. */
export const placeFlags = {
  '--ttl <duration>': {
    about: 'idle time after which the world ends: 30s, 10m (default: never)',
    parse: emulatedDuration,
  },
  '--port <n>': {
    about: 'port on which the world also answers, without /w/<name>; 0: any free port',
    parse: integer({ min: 0, max: 65_535 }),
  },
} as const

/** Flags for how a new world treats its clients. */
export const mannerFlags = {
  '--chaos <seed>': {
    about: 'seed of the world’s chaos',
    parse: integer({ min: 0, max: largestChaosSeed }),
  },
  '--chaos-profile <profile>': {
    about: `chaos profile: ${chaosProfileNames.join(', ')}, or a YAML file (default: mild)`,
    of: 'chaos profile',
  },
  '--strict': { about: 'a request that breaks the contract fails the test that uses the world' },
} as const

export const worlds = command({
  summary: 'List, make and end worlds',
  about:
    'List the worlds of the emulator, newest first; make and end worlds. Each world has its own accounts, payments, clock, rails ' +
    'and faults: a test with its own world shares nothing with other tests.',
  flags: {
    ...controlFlags,
    ...pageFlags('worlds'),
    '--status <status>': { about: 'only live worlds, or only ended worlds', choices: ['live', 'ended'] },
  },
  prints: { '': rows('control.worlds.list'), '--envelope': answer('control.worlds.list') },
  columns,
  examples: ['payctl emulator worlds', 'payctl emulator worlds create --name shop-7 --ttl 10m'],
  commands: { create: () => create, show: () => show, move: () => move, delete: () => remove },
  run: ({ all, page, perPage, envelope, status, ...steering }, context) =>
    steer(steering, context, async (control) => {
      const { output } = context
      const none = 'No worlds.'
      const query = { ...(perPage && { per_page: perPage }), ...(status && { status }) }
      if (all) {
        const found: Listed[] = []
        for await (const world of control.items('control.worlds.list', { query })) found.push(world)
        await output.list(found, columns, { none })
        return noteSpecial(found, context)
      }
      const answer = await control.call('control.worlds.list', { query: { ...query, ...(page && { page }) } })
      await output.list(answer.data, columns, {
        ...envelopeOf(answer, envelope, context),
        none: noneOn(answer, none),
        part: partOf(answer),
      })
      notePage(answer, { items: 'worlds' }, context)
      noteSpecial(answer.data, context)
    }),
})

/** Notes the worlds that need attention: worlds with late requests, and files that can't be opened. */
function noteSpecial(worlds: readonly Listed[], { output, globals }: Context): void {
  for (const { name, problem, remedy } of worlds.filter(isUnopened)) {
    if (problem) output.note(`World ${name ?? ''} can’t be opened. ${problem} ${remedy ?? ''}`)
  }
  const first = worlds.find((world) => isEnded(world) && world.late_requests)
  if (!first) return
  const look = toRun(['emulator', 'worlds', 'show', first.name ?? '<world>'], 'Requests came to worlds that have ended')
  output.note(hintOf(look, globals))
}

const create = command({
  summary: 'Make a world from a seed or a snapshot, or as a fork of another world.',
  flags: {
    ...controlFlags,
    '--name <name>': { about: 'name of the new world, part of its URL (default: w1, w2, ...)', parse: worldName },
    '--rng-stream <text>': { about: 'seed of the world’s random values (default: its name)' },
    '--from-world <world>': {
      about: 'world to fork: copies its current state, payments in progress included',
      of: 'world',
      parse: worldName,
    },
    '--from-moment <moment>': {
      about: 'saved moment from which to fork: m12\nwithout --from-world: a moment of the world that --world names',
      parse: momentId,
      conflicts: ['seed', 'seedFile', 'fromSnapshot'],
    },
    '--from-snapshot <snapshot>': {
      about: 'snapshot to start from',
      of: 'snapshot',
      parse: worldName,
      conflicts: ['fromWorld', 'seed', 'seedFile'],
    },
    '--seed <seed>': {
      about: 'seed to start from (default: the seed of the emulator)',
      choices: ['demo', 'empty'],
      conflicts: 'fromWorld',
    },
    '--seed-file <file>': {
      about: 'seed file to start from, in YAML or JSON',
      of: 'file',
      conflicts: ['fromWorld', 'seed'],
    },
    ...placeFlags,
    ...mannerFlags,
  },
  prints: answer('control.worlds.create'),
  examples: [
    'payctl emulator worlds create',
    'payctl emulator worlds create --name shop-7 --from-snapshot with-orders --ttl 10m',
    'payctl emulator worlds create --from-world default --port 0 --json',
    'payctl emulator worlds create --from-moment m1',
    'payctl emulator worlds create --chaos 7 --chaos-profile hostile',
    'payctl emulator worlds create --rng-stream checkout',
  ],
  async run(input, context) {
    const { name, rngStream, fromWorld, fromMoment, fromSnapshot, seed, seedFile, ttl, port, strict } = input
    const from = {
      ...(fromWorld !== undefined && { world: fromWorld }),
      ...(fromMoment !== undefined && { moment: fromMoment }),
      ...(fromSnapshot !== undefined && { snapshot: fromSnapshot }),
      ...(seed !== undefined && { seed }),
      ...(seedFile !== undefined && { seed: await seedBody(seedFile) }),
    }
    const body = {
      name,
      rng_stream: rngStream,
      from: Object.keys(from).length > 0 ? from : undefined,
      ttl_seconds: ttl && Math.ceil(ttl / 1000),
      port,
      chaos: await chaosBody(input),
      strict,
    }
    const made = await steer(input, context, (control) => control.call('control.worlds.create', { body }))
    await printCreated(made, port, context)
  },
})

export async function printCreated(made: Created, port: number | undefined, context: Context): Promise<void> {
  await context.output.record(made, createdColumns)
  if (!made.base_url) return
  // If the emulator has teams, each world has its own client and token: payctl then sends a token only if the user
  // names one.
  const isAnnounced = port === undefined && made.client_id === 'payctl'
  const next = { kind: 'use_world', baseUrl: made.base_url, isAnnounced } as const
  context.output.note(`Next: ${hintOf(next, context.globals)}`)
}

const worldArgument = { '<world>': { about: 'its name', of: 'world', parse: worldName, as: 'name' } } as const

/** Schema of a live or an ended world. */
const shownWorld = async () => {
  const [{ Type }, { controlEndpoints }] = await Promise.all([import('typebox'), import('../../contract/control.ts')])
  const [live, ended] = [controlEndpoints['control.worlds.get'], controlEndpoints['control.worlds.delete']]
  return Type.Union([live.success.data, ended.success.data])
}

const show = command({
  summary: 'Show a live world with all that its clients need, or how an ended world ended.',
  args: worldArgument,
  flags: controlFlags,
  prints: object(shownWorld),
  examples: ['payctl emulator worlds show default', 'payctl emulator worlds show shop-7 --json'],
  async run({ name, ...steering }, context) {
    const world = await steer(steering, context, (control) => liveOrEnded(name, control))
    if (isEnded(world)) await context.output.record(world, endedColumns)
    else await context.output.record(world, createdColumns)
  },
})

/** Reads a world. An ended world can't be read by its name, so it is taken from the list of worlds. */
async function liveOrEnded(name: string, control: ControlClient): Promise<Created | Ended> {
  try {
    return await control.call('control.worlds.get', { params: { name } })
  } catch (error) {
    if (!isServiceAnswer(error, 410)) throw error
    for await (const world of control.items('control.worlds.list', { query: { status: 'ended' } })) {
      if (isEnded(world) && world.name === name) return world
    }
    throw error
  }
}

const remove = endpointCommand('control.worlds.delete', {
  summary: 'End a world, with its timers, deliveries and connections.',
  args: worldArgument,
  columns: endedColumns,
  examples: ['payctl emulator worlds delete shop-7'],
})
