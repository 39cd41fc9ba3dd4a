import { randomBytes } from 'node:crypto'
import { normalUrl } from '../client/base_url.ts'
import { briefRequest } from '../client/brief_request.ts'
import { isLoopback } from '../client/loopback.ts'
import type { IdentityProof } from '../contract/control/identity.ts'
import { identityPath, identityProof } from '../contract/identity_proof.ts'
import { withoutWorld } from '../contract/world_path.ts'
import { isSameUrl } from './base_url.ts'
import type { Announcement } from './running_emulators.ts'

interface Terms {
  readonly signal: AbortSignal
  /** Milliseconds for an answer; the client's default when left out. */
  readonly timeout?: number | undefined
}

export interface Found {
  /** Newest first, with the world that each has now. */
  readonly proven: readonly Announcement[]
  /** Announced, but what is there now gives no proof: it may be anything, and gets no secret. */
  readonly doubtful: readonly Announcement[]
}

/**
 * Which of the announced emulators are there; with `at`, which of them is at that URL. One that was killed leaves its file behind, and
 * both its process id and its port may be somebody else's by now.
 */
export async function provenEmulators(announced: readonly Announcement[], terms: Terms, at?: string): Promise<Found> {
  const meant =
    at === undefined ? announced : announced.filter(({ base_url }) => isOnSamePort(base_url, withoutWorld(at)))
  const prove = async (one: Announcement, url: string) =>
    // Of a world that has ended there is no proof, and its own answer says more than ours.
    (await provenWorld(one, url, terms)) ??
    (url === withoutWorld(url) ? undefined : await provenWorld(one, withoutWorld(url), terms))
  const worlds = await Promise.all(meant.map((one) => prove(one, normalUrl(at ?? one.base_url))))
  const found = meant.map((one, place) => ({ one, world: worlds[place] }))
  return {
    proven: found.flatMap(({ one, world }) => (world === undefined ? [] : { ...one, world })),
    doubtful: found.flatMap(({ one, world }) => (world === undefined ? one : [])),
  }
}

/** This machine has many names; whether they lead to the same server is for its proof to say. */
function isOnSamePort(url: string, at: string): boolean {
  if (!isLoopback(url) || !isLoopback(at)) return isSameUrl(url, at)
  const renamed = new URL(at)
  renamed.hostname = new URL(url).hostname
  return isSameUrl(url, renamed.href)
}

/** Undefined for what is not the announced emulator. */
async function provenWorld({ identity_secret }: Announcement, at: string, terms: Terms): Promise<string | undefined> {
  const { signal, timeout = 30_000 } = terms
  const challenge = randomBytes(24).toString('base64url')
  const url = new URL(`${at}${identityPath}`)
  url.searchParams.set('challenge', challenge)
  try {
    const { data } = JSON.parse(await briefRequest(url, { signal, timeout })) as { readonly data: IdentityProof }
    return data.proof === identityProof(identity_secret, challenge) ? data.world : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
