import { type Command, InvalidArgumentError } from 'commander'
import type { EmulatorOptions } from '../../emulator/index.ts'
import { integer } from '../cli/arguments.ts'
import type { Context } from '../cli/command.ts'
import { argumentsWithout, commandAt } from '../cli/global_options.ts'
import { chaosProfileNames, largestChaosSeed } from '../contract/chaos_names.ts'
import { UsageError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { bareSecretFlags } from './emulate_secrets.ts'
import { chaosLines, faultsIn, type Report } from './run_report.ts'

/** What goes wrong by chance. */
export interface ChaosFlags {
  readonly chaos?: number
  readonly chaosProfile?: string
  readonly chaosSeeds?: number
}

export const addChaosOptions = (command: Command): Command =>
  command
    .optionsGroup('What goes wrong by chance:')
    .option(
      '--chaos <seed>',
      'lost answers, double webhooks and more, by number\ntokens expire early; exit 6 if an order is paid twice',
      integer({ min: 0, max: largestChaosSeed }),
    )
    .option(
      '--chaos-profile <profile>',
      `how often: ${chaosProfileNames.join(', ')}, or a YAML file\ndefault: mild`,
      profileName,
    )
    .option(
      '--chaos-seeds <n>',
      'run the command with so many seeds\neach in a new emulator, up to the first that fails',
      integer({ min: 1, max: 1_000_000 }),
    )

/** A name of a profile or of a file. Refuses an empty one, which comes from an unset variable. */
function profileName(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError(`Give ${chaosProfileNames.join(', ')}, or a YAML file.`)
}

/** Where a world is kept that outlives the run. */
interface Kept {
  readonly data?: string
  readonly worlds?: string
}

/** Throws UsageError for flags that mean nothing as they are. */
export function checkChaosFlags(flags: ChaosFlags & Kept, child: readonly string[]) {
  const { chaos, chaosProfile, chaosSeeds, data, worlds } = flags
  if (chaos === undefined && (chaosProfile ?? chaosSeeds) !== undefined) {
    const flag = chaosSeeds === undefined ? '--chaos-profile' : '--chaos-seeds'
    throw new UsageError(`${flag} needs a seed to start with.`, 'Add --chaos 1')
  }
  if (chaos === undefined || chaosSeeds === undefined) return
  if (child.length === 0) throw new UsageError('--chaos-seeds runs a command.', 'Add one: -- npm test')
  if ((data ?? worlds) !== undefined) {
    throw new UsageError('With --chaos-seeds each seed has a new world, in memory.', 'Leave --data and --worlds out')
  }
  if (chaos + chaosSeeds - 1 > largestChaosSeed) {
    throw new UsageError(`There is no seed above ${largestChaosSeed}.`, 'Start with a smaller one')
  }
}

/** The option of the emulator. What has no name is a file. */
export function chaosOption({ chaos: seed, chaosProfile: given }: ChaosFlags): Pick<EmulatorOptions, 'chaos'> {
  if (seed === undefined) return {}
  const profile = chaosProfileNames.find((name) => name === given)
  if (profile !== undefined || given === undefined) return { chaos: { seed, ...(profile && { profile }) } }
  return { chaos: { seed, profileFile: given } }
}

/** How a run of a command, or of an emulator without one, has ended. */
export interface Ended {
  readonly code: number
  /** What went wrong by chance; null where nothing was to, and where the command could not be run. */
  readonly chaos: { readonly seed: number; readonly report: Report } | null
}

/** Runs with one seed after another until one fails, and says how each went; returns the last one. */
export async function tryingSeeds(
  { chaos: first = 0, chaosSeeds: count = 1 }: ChaosFlags,
  run: (seed: number) => Promise<Ended>,
  { io, output, signal }: Pick<Context, 'io' | 'output' | 'signal'>,
): Promise<Ended> {
  for (let at = 1; ; at += 1) {
    const seed = first + at - 1
    const started = performance.now()
    const { code, chaos } = await run(seed)
    if (chaos === null) return { code, chaos }
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    // A command that ends well when it is told to stop has not passed.
    const ended = { code: signal.aborted ? code || exits.interrupted.code : code, chaos }
    const result = signal.aborted ? 'interrupted' : code === exits.done.code ? 'passed' : `exit ${code}`
    const line = `Seed ${seed}, ${at} of ${count}: ${result}, ${faultsIn(chaos.report)}, ${seconds} s`
    // That of a seed that fails is no remark: with --quiet too, it says what the exit code is of.
    if (ended.code === exits.done.code || signal.aborted) output.note(line)
    else io.stderr.write(`${line}\n`)
    if (ended.code !== exits.done.code || at === count) return ended
  }
}

interface Told {
  readonly command: Command
  readonly options: ChaosFlags & Kept & { readonly onExit?: 'report' }
}

/** Says what went wrong by chance, what came of it, and how to have the same again. */
export function tellChaos({ code, chaos }: Ended, told: Told, { output }: Pick<Context, 'output'>): void {
  if (chaos === null) return
  const { chaos: first = 0, chaosSeeds: count, onExit, data, worlds } = told.options
  const calm = told.command.args.length === 0 || code !== exits.done.code ? undefined : whyCalm(chaos.report)
  if (calm !== undefined) output.note(calm)
  if (code === exits.done.code && count !== undefined) {
    output.note(`No seed failed of ${count}, from ${first} to ${first + count - 1}.`)
    return
  }
  for (const line of chaosLines(chaos.report, { findings: onExit === undefined })) output.note(line)
  const kept = data ?? worlds
  const { words, leftOut } = sameAgain(chaos.seed, told.command)
  const asBefore = [
    ...(kept === undefined ? [] : [`${kept} as it was before`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.join(' and ')} as ${leftOut.length === 1 ? 'it was' : 'they were'}`]),
  ]
  output.typed(`Again${asBefore.map((what) => `, with ${what}`).join('')}:`, words)
}

/** Why nothing could go wrong. */
function whyCalm({ requests, chaos }: Report): string | undefined {
  if (chaos.counts.length === 0) return 'The profile has nothing go wrong.'
  return requests === 0 ? 'No request came: does the command use PAYCTL_BASE_URL?' : undefined
}

/** The command that has the same happen again, without secrets, and the flags that it leaves out because of these. */
function sameAgain(seed: number, command: Command) {
  const child = command.args
  const last = child.length
  const given = argumentsWithout(['--chaos', '--chaos-seeds', ...bareSecretFlags], command, { last })
  const at = commandAt(given) + 1
  const own = [...given.slice(0, at), '--chaos', `${seed}`, ...given.slice(at)]
  const lengthWithout = (flags: readonly string[]) => argumentsWithout(flags, command, { last }).length
  return {
    words: ['payctl', ...own, ...(last > 0 ? ['--', ...child] : [])],
    leftOut: bareSecretFlags.filter((flag) => lengthWithout([flag]) < lengthWithout([])),
  }
}
