import { createHash } from 'node:crypto'
import { forgetUser, knownUser, rememberUser } from '../auth/known_users.ts'
import { isLoopback } from '../client/base_url.ts'
import type { Client, RawAnswer } from '../client/client.ts'
import { defaultProfile } from '../config/profile.ts'
import { worldPath } from '../contract/emulator_names.ts'
import { worldHeader } from '../contract/headers.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import {
  type Intent,
  isInDoubt,
  isSurrogateId,
  mayHavePaid,
  ownershipOf,
  type Principal,
  surrogateId,
} from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { type Said, say, Text } from '../words/text.ts'
import { askUser, nameOf, TokensOfUser, unknownUser } from './tokens_of_user.ts'

/** The paying user and the service, known before money is sent. */
export interface Sender extends Principal {
  readonly profile: string
  /** The user's email address or id; null if the service returns neither. */
  readonly name: string | null
  /** True if the profile, or another profile for the same service, is marked as live: real money moves here. */
  readonly isLive: boolean
  /** True after an answer from another world: further answers say nothing about this world's payments. */
  readonly hasMoved: boolean
  /**
   * Milliseconds by which this machine's clock is ahead of the service's, by the last answer; negative: behind. 0 if the
   * difference is below a minute, if the service does not send its time, or for an emulator, whose users set its clock.
   */
  readonly clockLead: number
  /** Also reads the world from the answers of this client, and prevents changes by this client in any other world. */
  listenTo(client: Client): void
  stopListening(): void
}

export interface SenderOptions {
  readonly client: Client
  /** Profile name, saved with each intent. */
  readonly profile?: string
  /** True if real money is known to move at the service; see `Sender`. */
  readonly isLive?: boolean
  /**
   * Returns the surrogate for a user that the service does not name, as `surrogateId` creates it: equal only for the
   * same user.
   */
  readonly holder?: () => Promise<string | undefined>
  /** Folder in which users of remote services are remembered, so that each token or login is looked up once. */
  readonly stateDir?: string
}

/**
 * Asks the service for the token's user. Asks a remote service once for each token or login, but asks a service on this
 * machine each time, because another service may run there at any time.
 */
export async function learnSender(options: SenderOptions): Promise<Sender> {
  const { client, profile = defaultProfile, holder, stateDir, isLive = false } = options
  const { baseUrl } = client
  const surrogateId = await holder?.()
  const memory = isLoopback(baseUrl) || !stateDir || surrogateId === undefined ? undefined : { stateDir, surrogateId }
  const known = memory && knownUser(memory.stateDir, memory.surrogateId)
  const answers = new Answers()
  const tokens = new TokensOfUser((head) => answers.observe(head))
  const stops: (() => void)[] = []
  const listenTo = (to: Client) => {
    stops.push(to.onToken((token) => tokens.requireSameUser(token, to)))
    stops.push(to.onAnswer((head) => answers.observe(head)))
    // Also checks before each attempt, because the answer to the previous attempt may have come from another world.
    stops.push(
      to.beforeChange(() => {
        if (answers.haveMoved) throw new MovedAway()
      }),
    )
  }
  listenTo(client)
  const user = known ?? (await askUser(client))
  if (known) answers.expect(null, () => forgetUser(memory.stateDir, memory.surrogateId))
  else answers.expect(answers.world)
  if (memory && user && !known && answers.world === null) rememberUser(memory.stateDir, memory.surrogateId, user)
  const id = user?.id ?? surrogateId
  if (id === undefined) throw unnamedUser()
  tokens.learned(user, known !== undefined)
  return {
    profile,
    base_url: baseUrl,
    user: id,
    world: known ? null : answers.world,
    name: user ? nameOf(user) : null,
    isLive,
    get hasMoved() {
      return answers.haveMoved
    },
    get clockLead() {
      return answers.clockLead
    },
    listenTo,
    stopListening() {
      for (const stop of stops) stop()
    },
  }
}

const unnamedUser = (): UsageError =>
  new UsageError(
    'The service does not say who this token belongs to. Nothing was sent.',
    'Use a token with the scope read-user, or name the user yourself',
  )

/** A surrogate for the holder of a token without a login id. The token itself is not saved. */
export const surrogateIdOfToken = (baseUrl: string, token: string): string =>
  surrogateId('token', createHash('sha256').update(`${baseUrl}\n${token}`).digest('hex').slice(0, 32))

/** Tracks the worlds that answers come from, and the time of the service. */
class Answers {
  /** World of the last answer; null if the answer did not come from an emulator. */
  world: string | null = null
  haveMoved = false
  /** See `Sender`. */
  clockLead = 0
  #expected: string | null | undefined
  #onMove: () => void = () => {}

  /** Sets the world that answers must come from. */
  expect(world: string | null, onMove = () => {}): void {
    this.#expected = world
    this.#onMove = onMove
  }

  observe({ status, headers }: Pick<RawAnswer, 'status' | 'headers'>): void {
    const world = headers[worldHeader.toLowerCase()]?.slice(0, 100) ?? null
    this.world = world
    const lead = Date.now() - Date.parse(headers.date ?? '')
    this.clockLead = world === null && Math.abs(lead) >= 60_000 ? lead : 0
    if (this.#expected === undefined || world === this.#expected) return
    // A proxy in front of the emulator answers with its own errors and pages.
    const isPage = headers['content-type']?.startsWith('text/html') ?? false
    if (world === null && (status >= 300 || isPage)) return
    if (!this.haveMoved) this.#onMove()
    this.haveMoved = true
  }
}

/** Throws if an emulator answers for a profile marked as live: one of the two is a mistake. */
export function requireLiveService({ isLive, world, profile, base_url }: Sender): void {
  if (!isLive || world === null) return
  throw new UsageError(
    say`Profile ${profile} leads to a service that is marked as live, and an emulator answers at ${base_url}. Nothing was sent.`,
    { kind: 'choose_test_profile' },
  )
}

/** Service and user as text: `at api.example.com as maria@example.com (profile prod)`. */
export function placeOf({ base_url, world, name, profile }: Sender): Text {
  const { where, port, worldName } = partsOf(base_url)
  const who = name ?? new Text(unknownUser)
  if (world === null) return say`at ${where} as ${who} (profile ${profile})`
  if (!isLoopback(base_url)) return say`at ${where}, which says it is an emulator, as ${who} (profile ${profile})`
  return worldName === ''
    ? say`at the emulator on port ${port} as ${who}, no real money`
    : say`at the emulator on port ${port}, world ${worldName}, as ${who}, no real money`
}

/** The service to which the payment is sent, as the two columns of the line `At` in a summary. */
export interface Place {
  /** The service as text: `emulator on port 4010`, `api.example.com`. */
  readonly service: Said
  /** Says whether the money is real, with user and profile: `LIVE, as maria@example.com (prod)`. */
  readonly standing: Said
}

/** Service, user and profile. The text for an emulator differs plainly from the text for a live service. */
export function describePlace(sender: Omit<Sender, 'hasMoved' | 'clockLead' | 'listenTo' | 'stopListening'>): Place {
  const { base_url, world, name, profile, isLive } = sender
  const { where, port, worldName } = partsOf(base_url)
  const who = say`as ${name ?? new Text(unknownUser)} (${profile})`
  if (isLive) return { service: where, standing: say`LIVE, ${who}` }
  if (world === null) return { service: where, standing: say`not marked live, ${who}` }
  if (!isLoopback(base_url)) return { service: where, standing: say`says it is an emulator, ${who}` }
  return {
    service: worldName === '' ? say`emulator on port ${port}` : say`emulator on port ${port}, world ${worldName}`,
    standing: say`no real money, ${who}`,
  }
}

/** Parts of a base URL for people. `worldName`: from the URL of an emulator's world, otherwise empty. */
function partsOf(baseUrl: string) {
  const { host, pathname, port } = new URL(baseUrl)
  const worldName = pathname.startsWith(`${worldPath}/`) ? pathname.slice(worldPath.length + 1) : ''
  return { where: `${host}${pathname === '/' ? '' : pathname}`, port: port || '80', worldName }
}

/** Reason why payctl sends nothing more and ignores the answers. */
export const worldMoved = 'the answers come from a different world than before: the emulator was reset or replaced'

/** Thrown before a request is sent, after an answer from another world. */
export class MovedAway extends CliError {
  constructor() {
    super('conflict', say`Nothing more was sent: ${new Text(worldMoved)}.`, { kind: 'run_in_new_world' })
  }
}

// Owner of an intent. A key identifies a payment of one user: if another user repeated the key, a second payment would
// be made.

/** Sender who claims intents, and the journal with these intents. */
interface Claiming {
  readonly sender: Sender
  readonly journal: Journal
}

/** A person's statement of the user who sent an intent. */
export interface NamedSender {
  /** Email or id. */
  readonly user: string
  /** Name of the value in messages: a flag. */
  readonly valueName: string
}

/**
 * True if the intent may be the sender's or another user's: written by an older payctl, or with a token that could not
 * read its user.
 */
export const isUnclear = (intent: Intent, sender: Sender): boolean => ownershipOf(intent, sender) === 'unclear'

/**
 * Intents with a key that may be the sender's and may have paid: the sender may have used the key with a login that
 * could not read its user.
 */
export const unclearWithKey = (key: string, { journal, sender }: Claiming): Intent[] =>
  journal.sameKey(sender.base_url, key).filter((one) => isUnclear(one, sender) && mayHavePaid(one.status))

/** Throws for an intent that certainly belongs to another user, service or world. */
export function requireOwn(intent: Intent, { sender }: Claiming): void {
  const { id, base_url, profile, user } = intent
  const there = profile === defaultProfile || profile === sender.profile ? undefined : { profile }
  switch (ownershipOf(intent, sender)) {
    case 'other service':
      if (base_url === sender.base_url) throw replaced(intent)
      throw new UsageError(
        say`${id} was made for ${base_url} (profile ${profile}), not for ${sender.base_url}. Nothing was sent.`,
        { kind: 'resume', intentId: id, at: there ?? { baseUrl: base_url } },
      )
    case 'other user': {
      const here = sender.name ?? say`the holder of this token`
      throw new UsageError(
        say`${id} was sent by another user (${user ?? ''}, profile ${profile}), not by ${here}. Nothing was sent.`,
        there ? { kind: 'resume', intentId: id, at: there } : { kind: 'resume_as_its_user', intentId: id },
      )
    }
    case 'other world':
      throw new CliError(
        'conflict',
        say`${id} was sent in an emulator world that is gone (the emulator was reset or replaced): the payment existed only there. Nothing was sent.`,
        { kind: 'send_in_new_world' },
      )
    default:
  }
}

function replaced({ id, base_url, world }: Intent): UsageError {
  return new UsageError(
    world === null
      ? say`${id} was sent to ${base_url} when no emulator answered there, but now one does. Nothing was sent.`
      : say`${id} was sent to ${base_url} when an emulator answered there, but now none does. Nothing was sent.`,
    'Resume it once the earlier service is there again',
  )
}

/** Claims intents whose user a person has stated. Throws UsageError if that user is not the present sender. */
export function claimNamed(unclear: readonly Intent[], sentBy: NamedSender, { journal, sender }: Claiming): void {
  requireSender(sentBy, sender)
  for (const { id } of unclear) journal.claim(id, sender)
}

function requireSender({ user: named, valueName }: NamedSender, { user, name, profile }: Sender): void {
  if (isSurrogateId(user)) {
    throw new UsageError(
      say`The service does not say who this token belongs to, so payctl can't be certain that it belongs to ${named}. Nothing was sent.`,
      { kind: 'use_token_with_user', profile },
    )
  }
  const isNamed = [user, name].some((known) => known?.toLowerCase() === named.trim().toLowerCase())
  if (isNamed) return
  throw new UsageError(
    say`${valueName} names ${named}, but this run sends as ${name ?? user} (profile ${profile}). Nothing was sent.`,
    'Use the profile or token of that user',
  )
}

/**
 * Error that refuses to send a payment, because intents whose user is not known may have paid it. `which` begins the
 * message.
 */
export function unclearDoubt(intents: readonly Intent[], which: Said, { sender }: Claiming): CliError {
  const single = intents.length === 1 ? intents[0] : undefined
  const [is, was, them] = single ? ['is', 'was', 'it'] : ['are', 'were', 'them']
  if (!intents.some(isInDoubt)) {
    return new CliError(
      'outcome_unknown',
      say`${which} ${was} paid by a login whose user is not known, and the history that this token reads does not show yet who paid. Sending again as the same user could pay twice.`,
      { kind: 'read_history' },
    )
  }
  const sentBy = isSurrogateId(sender.user) ? null : (sender.name ?? sender.user)
  return new CliError(
    'outcome_unknown',
    say`${which} ${is} in doubt, money may have moved, and who sent ${them} is not known: the history that this token reads has no such payment. Sending again as another user could pay twice.`,
    { kind: 'resume_if_own', intentId: single?.id, sentBy },
  )
}
