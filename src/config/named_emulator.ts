import { type ControlClient, createControlClient } from '../client/control_client.ts'
import { worldUrl } from '../contract/emulator_names.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { type Said, say } from '../words/text.ts'
import { labelOf, portOf } from './emulator_label.ts'
import type { ProvenEmulators } from './proven_emulators.ts'
import type { Announcement } from './running_emulators.ts'

// Finds the emulator that the user named: `4011` by port, `shop` by name, `shop/blue` or `blue` for one of its worlds.

/** An emulator and the base URL of one of its worlds. */
interface EmulatedWorld {
  readonly emulator: Announcement
  readonly baseUrl: string
}

/** Throws CliError unless exactly one emulator that answers matches. */
export async function emulatorNamed(
  text: string,
  { proven: running, doubtful }: ProvenEmulators,
  signal: AbortSignal,
): Promise<EmulatedWorld> {
  const [which = '', world] = text.split('/')
  const isMeant = ({ name, base_url }: Announcement) => name === which || portOf(base_url) === which
  const emulators = running.filter(isMeant)
  const silent = doubtful.find(isMeant)
  const named =
    emulators.length === 0 && world === undefined
      ? await withWorld(which, running, signal)
      : emulators.map((emulator) => ({
          emulator,
          baseUrl: world === undefined ? emulator.base_url : worldUrl(emulator.base_url, world),
        }))
  const [found, ...others] = named
  if (found === undefined) throw silent ? notAnswering(silent, running) : noSuch(text, running)
  if (others.length === 0) return found
  const urls = named.map(({ baseUrl }): Said => `--base-url ${baseUrl}`)
  const anyOf = urls.reduce((one, other) => say`${one}, or ${other}`)
  throw new UsageError(say`${named.length} emulators are called ${text}.`, say`Name one: ${anyOf}`)
}

/** Asks each emulator for a world of this name, and returns the emulators that have the world. */
async function withWorld(
  world: string,
  running: readonly Announcement[],
  signal: AbortSignal,
): Promise<EmulatedWorld[]> {
  const options = { signal, timeout: answerTimeout }
  const has = await Promise.all(
    running.map((one) =>
      request(one, options, (control) => control.call('control.worlds.get', { params: { name: world } })),
    ),
  )
  return running.flatMap((emulator, at) => (has[at] ? [{ emulator, baseUrl: worldUrl(emulator.base_url, world) }] : []))
}

/** Time limit for an answer from a program on this machine, in milliseconds. */
const answerTimeout = 5000

/**
 * Asks for the names of the emulator's live worlds, oldest first; null if the emulator doesn't answer, or refuses, for
 * example because it requires a control token.
 */
export const worldsOf = (emulator: Announcement, options: RequestOptions): Promise<readonly string[] | null> =>
  request(emulator, options, async (control) => {
    const names: string[] = []
    for await (const { name } of control.items('control.worlds.list', { query: { status: 'live' } })) {
      if (name) names.unshift(name)
    }
    return names
  })

interface RequestOptions {
  readonly signal: AbortSignal
  /** Time limit for each answer, in milliseconds. */
  readonly timeout: number
}

/** Sends requests to the emulator with `work`; null if the emulator refuses or doesn't answer. */
async function request<T>(
  { base_url: baseUrl }: Announcement,
  { signal, timeout }: RequestOptions,
  work: (control: ControlClient) => Promise<T>,
): Promise<T | null> {
  const control = createControlClient({ baseUrl, signal, retries: 0, timeout })
  try {
    return await work(control)
  } catch {
    signal.throwIfAborted()
    return null
  } finally {
    await control.close()
  }
}

const notAnswering = (emulator: Announcement, running: readonly Announcement[]): CliError =>
  new CliError(
    'unavailable',
    say`Emulator ${labelOf(emulator)} at ${emulator.base_url} does not answer, or another program has that address now.`,
    running.length === 0 ? { kind: 'start_emulator' } : say`Running: ${listOf(running)}`,
  )

const listOf = (running: readonly Announcement[]): string =>
  running.map((one) => `${labelOf(one)} (${one.base_url})`).join(', ')

function noSuch(text: string, running: readonly Announcement[]): CliError {
  const labels = running.map(labelOf)
  const near = nearest(text, labels)
  const list = listOf(running)
  return new CliError(
    'unavailable',
    say`No emulator that you started has the name ${text}, or a world of that name.`,
    running.length === 0
      ? { kind: 'start_emulator' }
      : near
        ? say`Did you mean ${near}? Running: ${list}`
        : say`Running: ${list}`,
  )
}
