import { randomBytes } from 'node:crypto'
import { isLoopback, normalUrl } from '../client/base_url.ts'
import { briefRequest } from '../client/brief_request.ts'
import type { IdentityProof } from '../contract/control/state.ts'
import { withoutWorld } from '../contract/emulator_names.ts'
import { identityPath, identityProof } from '../contract/signatures.ts'
import { isSameUrl } from './base_url.ts'
import type { Announcement } from './running_emulators.ts'

interface ProofOptions {
  readonly signal: AbortSignal
  /** Time limit for an answer, in milliseconds; default: 30,000. */
  readonly timeout?: number | undefined
}

export interface ProvenEmulators {
  /** Proven emulators, newest first, each with its present world. */
  readonly proven: readonly Announcement[]
  /**
   * Emulators that are announced, but have not proved their identity. Another program may be using the port, so no
   * secret is sent to it.
   */
  readonly doubtful: readonly Announcement[]
}

/**
 * Proves which announced emulators run or, with `at`, which of them answers at that URL. A killed emulator leaves its
 * file behind, and another program may reuse its process id or port.
 */
export async function provenEmulators(
  announced: readonly Announcement[],
  options: ProofOptions,
  at?: string,
): Promise<ProvenEmulators> {
  const meant =
    at === undefined ? announced : announced.filter(({ base_url }) => isOnSamePort(base_url, withoutWorld(at)))
  const prove = async (one: Announcement, url: string) =>
    // An ended world can't prove its identity. In that case the emulator itself proves its identity, so that the run
    // receives the ended world's answer.
    (await provenWorld(one, url, options)) ??
    (url === withoutWorld(url) ? undefined : await provenWorld(one, withoutWorld(url), options))
  const worlds = await Promise.all(meant.map((one) => prove(one, normalUrl(at ?? one.base_url))))
  const found = meant.map((one, place) => ({ one, world: worlds[place] }))
  return {
    proven: found.flatMap(({ one, world }) => (world === undefined ? [] : { ...one, world })),
    doubtful: found.flatMap(({ one, world }) => (world === undefined ? one : [])),
  }
}

/**
 * True if the URLs are equal, or differ only in the name that they use for this machine. The emulator's proof then
 * shows which program answers.
 */
function isOnSamePort(url: string, at: string): boolean {
  if (!isLoopback(url) || !isLoopback(at)) return isSameUrl(url, at)
  const [one, other] = [new URL(url), new URL(at)]
  other.hostname = one.hostname
  return one.href === other.href
}

/**
 * Asks the emulator at this URL to prove its identity. Returns the id of the world at this URL; undefined without a
 * proof.
 */
async function provenWorld(
  { identity_secret }: Announcement,
  at: string,
  options: ProofOptions,
): Promise<string | undefined> {
  const { signal, timeout = 30_000 } = options
  const challenge = randomBytes(24).toString('base64url')
  const url = new URL(`${at}${identityPath}`)
  url.searchParams.set('challenge', challenge)
  try {
    const { data } = JSON.parse(await briefRequest(url, signal, timeout)) as { readonly data: IdentityProof }
    return data.proof === identityProof(identity_secret, challenge) ? data.world : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
