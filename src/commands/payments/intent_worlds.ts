import type { Context } from '../../cli/command.ts'
import { isLoopback } from '../../client/base_url.ts'
import { labelOf } from '../../config/emulator_label.ts'
import type { Announcement } from '../../config/running_emulators.ts'
import { worldPath } from '../../contract/emulator_names.ts'
import type { Intent } from '../../journal/intent.ts'
import { type Said, say } from '../../words/text.ts'

/** An intent, and the state of the emulator's world that it was sent to. */
export interface PlacedIntent extends Intent {
  /**
   * `gone`: the emulator at the URL was reset or replaced. `not_running`: no emulator of this user answers there. Null
   * for other services, and for worlds on another machine.
   */
  readonly world_status: 'live' | 'gone' | 'not_running' | null
}

type Place = Pick<Intent, 'base_url' | 'world'>

/** Time limit for the answer of an emulator on this machine, in milliseconds. */
const answerTimeout = 1000

/** Worlds that intents were sent to. Looks up each base URL once. */
export class IntentWorlds {
  readonly #context: Pick<Context, 'stateDir' | 'signal'>
  readonly #now = new Map<string, Promise<Announcement | undefined>>()

  constructor(context: Pick<Context, 'stateDir' | 'signal'>) {
    this.#context = context
  }

  async placed<One extends Place>(intent: One): Promise<One & Pick<PlacedIntent, 'world_status'>> {
    const { base_url, world } = intent
    if (world === null || !isLoopback(base_url)) return { ...intent, world_status: null }
    const now = this.#now.get(base_url) ?? this.#ask(base_url)
    this.#now.set(base_url, now)
    const emulator = await now
    const status = emulator === undefined ? 'not_running' : emulator.world === world ? 'live' : 'gone'
    return { ...intent, world_status: status }
  }

  /** Finds the emulator that answers at the URL, with its present world. */
  async #ask(baseUrl: string): Promise<Announcement | undefined> {
    const { stateDir, signal } = this.#context
    const [{ announcedEmulators }, { provenEmulators }] = await Promise.all([
      import('../../config/running_emulators.ts'),
      import('../../config/proven_emulators.ts'),
    ])
    const { running } = announcedEmulators(stateDir)
    return (await provenEmulators(running, { signal, timeout: answerTimeout }, baseUrl)).proven[0]
  }
}

/** Destination of an intent, for people: `emulator 4010, world blue: its world is gone`, `api.example.com`. */
export function placeNamed({ base_url, world, world_status }: Place & Pick<PlacedIntent, 'world_status'>): Said {
  const { host, pathname } = new URL(base_url)
  if (world === null) return `${host}${pathname === '/' ? '' : pathname}`
  const label = isLoopback(base_url) ? labelOf({ base_url }) : host
  const emulator = pathname.startsWith(`${worldPath}/`)
    ? say`emulator ${label}, world ${pathname.slice(worldPath.length + 1)}`
    : say`emulator ${label}`
  return world_status === 'gone' ? say`${emulator}: its world is gone` : emulator
}
