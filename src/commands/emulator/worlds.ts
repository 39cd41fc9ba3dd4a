import { Option } from 'commander'
import { emulatedDuration, integer } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { hintOf } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from '../../cli/page_note.ts'
import { controlled, steer, worldName } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import { chaosProfileNames, largestChaosSeed } from '../../contract/chaos_names.ts'
import type { CreatedWorld, EndedWorld, MadeFrom, WorldEntry } from '../../contract/control/worlds.ts'
import { toRun } from '../../errors/next_step.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { detail, field, id, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { ChaosFlags } from '../emulate_chaos.ts'
import { chaosBody, seedBody } from '../emulate_files.ts'

type Live = Received<WorldEntry>
type Created = Received<CreatedWorld>
type Ended = Received<EndedWorld>

const isEnded = (world: Live | Ended | Created): world is Ended => world.status === 'ended'

type Cell = string | number | null | undefined

/** A field that only a world that lives has, or only one that has ended. */
const ofLive = (name: string, data: (world: Live) => Cell): Column<Live | Ended> =>
  field(name, (world) => (isEnded(world) ? null : data(world)))
const ofEnded = (name: string, data: (world: Ended) => Cell): Column<Live | Ended> =>
  field(name, (world) => (isEnded(world) ? data(world) : null))

const columns: readonly Column<Live | Ended>[] = [
  field('name', ({ name }) => name),
  {
    ...status<Live | Ended>('status', (world) => world.status),
    text: (world) => (isEnded(world) ? `ended: ${world.ended_by ?? ''}` : (world.status ?? '')),
    tone: (world) => (isEnded(world) ? 'dim' : 'good'),
  },
  ofLive('made_from', ({ made_from }) => originOf(made_from)),
  ofLive('requests', ({ requests }) => requests),
  ofEnded('late_requests', ({ late_requests }) => late_requests),
  ofLive('size_bytes', ({ size_bytes }) => size_bytes),
  detail('id', ({ id }) => id),
  { ...ofLive('rng_stream', ({ rng_stream }) => rng_stream), detail: true },
  { ...ofLive('created_at', ({ created_at }) => created_at), detail: true },
  { ...ofLive('ttl_seconds', ({ ttl_seconds }) => ttl_seconds), detail: true },
  { ...ofLive('idle_ms', ({ idle_ms }) => idle_ms), detail: true },
  { ...ofEnded('ended_at', ({ ended_at }) => ended_at), detail: true },
]

const createdColumns: readonly Column<Created>[] = [
  field('name', ({ name }) => name),
  field('base_url', ({ base_url }) => base_url),
  field('token', ({ token }) => token),
  { ...id<Created>('accounts', accountIds), text: (world) => accountIds(world, true) },
  field('user', ({ user }) => user.id),
  field('client_id', ({ client_id }) => client_id),
  field('client_secret', ({ client_secret }) => client_secret),
  field('made_from', ({ made_from }) => originOf(made_from)),
  field('rng_stream', ({ rng_stream }) => rng_stream),
  field('ttl_seconds', ({ ttl_seconds }) => ttl_seconds),
  time('created_at', ({ created_at }) => created_at),
  field('requests', ({ requests }) => requests),
  field('size_bytes', ({ size_bytes }) => size_bytes),
]

const endedColumns: readonly Column<Ended>[] = [
  field('name', ({ name }) => name),
  field('status', (world) => world.status),
  field('ended_by', ({ ended_by }) => ended_by),
  time('ended_at', ({ ended_at }) => ended_at),
  field('late_requests', ({ late_requests }) => late_requests),
  field('latest', ({ latest }) => latest.map(({ method, path, at }) => `${method} ${path} ${at}`).join(', ')),
]

function originOf({ seed, snapshot, world, file }: Received<MadeFrom>): string {
  if (world) return `world ${world}`
  if (snapshot) return `snapshot ${snapshot}`
  return file ? `file ${file.slice(0, 12)}` : `seed ${seed ?? ''}`
}

function accountIds({ accounts }: Created, withCurrency = false): string {
  return accounts.map(({ id, currency }) => (withCurrency ? `${id} ${currency}` : id)).join(withCurrency ? ', ' : ' ')
}

export const worlds: CommandModule = (command, context) => {
  pageOptions(controlled(command), 'worlds')
    .description(
      'List the worlds of the emulator, newest first, make and end them. Each has its own accounts, payments, clock, rails ' +
        'and faults; a test that has one to itself shares nothing with others.',
    )
    .usage('[options] [command]')
    .addOption(new Option('--status <status>', 'only worlds that live, or that have ended').choices(['live', 'ended']))
    .action((flags: ListFlags) => steer(command, context, (control) => list(flags, control, context)))
  listOptions(command, { columns, schema: 'WorldEntry' }, context)
  examples(command, ['payctl emulator worlds', 'payctl emulator worlds create --name shop-7 --ttl 10m'])
  return {
    create: {
      summary: 'Make a world, from a seed, from a snapshot, or as a fork of another world.',
      load: () => create,
    },
    show: { summary: 'Show a world with what its clients need, or how it ended.', usage: '<world>', load: () => show },
    delete: {
      summary: 'End a world, with its timers, deliveries and connections.',
      usage: '<world>',
      load: () => remove,
    },
  }
}

interface ListFlags extends PageFlags {
  readonly status?: 'live' | 'ended'
}

async function list(
  { all, page, perPage, envelope, status }: ListFlags,
  control: ControlClient,
  context: Context,
): Promise<void> {
  const query = { page, per_page: perPage, status }
  const none = 'No worlds.'
  if (all) {
    const worlds: (Live | Ended)[] = []
    for await (const world of control.items('control.worlds.list', { query })) worlds.push(world)
    await context.output.list(worlds, columns, { none })
    return noteLate(worlds, context)
  }
  const answer = await control.call('control.worlds.list', { query })
  await context.output.list(answer.data, columns, {
    ...envelopeOf(answer, envelope, context),
    none: noneOn(answer, none),
    part: partOf(answer),
  })
  notePage(answer, { items: 'worlds' }, context)
  noteLate(answer.data, context)
}

function noteLate(worlds: readonly (Live | Ended)[], { output, globals }: Context): void {
  const first = worlds.find((world) => isEnded(world) && world.late_requests)
  if (!first) return
  const look = toRun(['emulator', 'worlds', 'show', first.name ?? '<world>'], 'Requests came to worlds that had ended')
  output.note(hintOf(look, globals))
}

interface Flags extends Pick<ChaosFlags, 'chaos' | 'chaosProfile'> {
  readonly name?: string
  readonly rngStream?: string
  readonly fromWorld?: string
  readonly fromSnapshot?: string
  readonly seed?: 'demo' | 'empty'
  readonly seedFile?: string
  readonly ttl?: number
  readonly port?: number
}

const create: CommandModule = (command, context) => {
  controlled(command)
    .option('--name <name>', 'in its URL (default: w1, w2, ...)', worldName)
    .option('--rng-stream <text>', 'seeds its random values (default: its name)')
    .option('--from-world <world>', 'a fork: all as it is there now, payments under way included', worldName)
    .addOption(
      new Option('--from-snapshot <snapshot>', 'as it was kept')
        .argParser(worldName)
        .conflicts(['fromWorld', 'seed', 'seedFile']),
    )
    .addOption(
      new Option('--seed <seed>', 'a new one (default: the seed of the emulator)')
        .choices(['demo', 'empty'])
        .conflicts('fromWorld'),
    )
    .addOption(new Option('--seed-file <file>', 'or what this YAML or JSON file says').conflicts(['fromWorld', 'seed']))
    .option('--ttl <duration>', 'ends when it was idle for so long: 30s, 10m (default: never)', emulatedDuration)
    .option('--port <n>', 'also answers there, without /w/<name>; 0: any free port', integer({ min: 0, max: 65_535 }))
    .option('--chaos <seed>', 'what goes wrong there by chance', integer({ min: 0, max: largestChaosSeed }))
    .option('--chaos-profile <profile>', `how often: ${chaosProfileNames.join(', ')}, or a YAML file (default: mild)`)
    .action(async ({ name, rngStream, fromWorld, fromSnapshot, seed, seedFile, ttl, port, ...chaos }: Flags) => {
      const from = {
        ...(fromWorld !== undefined && { world: fromWorld }),
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
        chaos: await chaosBody(chaos),
      }
      const made = await steer(command, context, (control) => control.call('control.worlds.create', { body }))
      await printCreated(made, port, context)
    })
  examples(command, [
    'payctl emulator worlds create',
    'payctl emulator worlds create --name shop-7 --from-snapshot with-orders --ttl 10m',
    'payctl emulator worlds create --from-world default --port 0 --json',
    'payctl emulator worlds create --chaos 7 --chaos-profile hostile',
    'payctl emulator worlds create --rng-stream checkout',
  ])
}

export async function printCreated(made: Created, port: number | undefined, context: Context): Promise<void> {
  await context.output.record(made, createdColumns)
  if (!made.base_url) return
  const next = { kind: 'use_world', baseUrl: made.base_url, isAnnounced: port === undefined } as const
  context.output.note(`Next: ${hintOf(next, context.globals)}`)
}

const show: CommandModule = (command, context) => {
  controlled(command)
    .argument('<world>', 'its name', worldName)
    .action(async (name: string) => {
      const world = await steer(command, context, (control) => liveOrEnded(name, control))
      if (isEnded(world)) await context.output.record(world, endedColumns)
      else await context.output.record(world, createdColumns)
    })
  examples(command, ['payctl emulator worlds show default', 'payctl emulator worlds show shop-7 --json'])
}

/** Of a world that has ended only the list says more than that it did. */
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

const remove: CommandModule = (command, context) => {
  controlled(command)
    .argument('<world>', 'its name', worldName)
    .action(async (name: string) => {
      const input = { params: { name } }
      const ended = await steer(command, context, (control) => control.call('control.worlds.delete', input))
      await context.output.record(ended, endedColumns)
    })
  examples(command, ['payctl emulator worlds delete shop-7'])
}
