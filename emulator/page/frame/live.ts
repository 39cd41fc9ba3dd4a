import { effect, signal } from '@preact/signals'
import type { WorldEvent } from '../../../src/contract/index.ts'
import { urlOf } from './api.ts'
import { access, token, worldBase } from './session.ts'

/**
 * State of the stream of events. `lost`: the emulator does not answer, and the page tries again. `foreign`: an emulator
 * answers that does not have the world because it is another shard; the page tries again too. `reset`, `restarted`: the
 * stream continues with another world of this name. `ended`: the world has ended.
 */
type LiveState = 'connecting' | 'open' | 'lost' | 'foreign' | 'reset' | 'restarted' | 'ended'

export const live = signal<LiveState>('connecting')

/** Cause of the world's end, for the state `ended`; null: not known. */
export const endedBy = signal<string | null>(null)

/** Changes when all data must be read again, because events were missed or the world was replaced. */
export const epoch = signal(0)

type Listener = (event: WorldEvent) => void
const listeners = new Set<Listener>()

/** Calls a function with each event from now on; returns a function that ends the calls. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Messages between tabs of one world: `hello` comes from a new tab, all others from the tab that reads the stream. */
type Message =
  | { readonly kind: 'event'; readonly event: WorldEvent }
  | {
      readonly kind: 'state'
      readonly state: LiveState
      readonly endedBy: string | null
      readonly worldId: string | null
    }
  | { readonly kind: 'epoch' }
  | { readonly kind: 'hello' }

const name = `payctl events ${worldBase}`
const channel = new BroadcastChannel(name)
let isLeader = false

/**
 * Starts the stream. A browser opens at most six connections to an emulator for all its tabs together. So one tab,
 * which holds a lock, reads the stream and passes the events on. When that tab closes, another tab gets the lock.
 */
export function startLive(): void {
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data)
  postToTabs({ kind: 'hello' })
  const stop = effect(() => {
    if (access.value !== 'open') return
    queueMicrotask(() => stop())
    if (navigator.locks) {
      void navigator.locks.request(name, async () => {
        isLeader = true
        await readUntilEnd()
        await new Promise(() => {}) // keeps the lock until the tab closes
      })
    } else readWhileVisible()
  })
}

/**
 * For browsers without locks, as on a plain http address of another machine: each tab reads the stream, but only while
 * the tab is visible.
 */
function readWhileVisible(): void {
  isLeader = true
  let reading: AbortController | null = null
  const follow = () => {
    if (document.hidden) {
      reading?.abort()
      reading = null
    } else if (!reading) {
      reading = new AbortController()
      if (live.value !== 'connecting') bumpEpoch()
      void readUntilEnd(reading.signal)
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}

function take(message: Message): void {
  if (message.kind === 'event') {
    // This tab may have to continue the stream later.
    lastId = message.event.id
    dispatch(message.event)
  }
  if (message.kind === 'epoch') epoch.value++
  if (message.kind === 'state') {
    live.value = message.state
    endedBy.value = message.endedBy
    worldId = message.worldId
  }
  if (message.kind === 'hello' && isLeader) postState()
}

const postToTabs = (message: Message): void => channel.postMessage(message)

function dispatch(event: WorldEvent): void {
  for (const listener of listeners) listener(event)
}

/** Milliseconds for which the page shows the notice that it continues with another world. */
const shownFor = 15_000

let fading: ReturnType<typeof setTimeout> | undefined

function setState(state: LiveState, cause: string | null = null): void {
  live.value = state
  endedBy.value = cause
  postState()
  clearTimeout(fading)
  if (state === 'reset' || state === 'restarted') fading = setTimeout(() => setState('open'), shownFor)
}

const postState = (): void => postToTabs({ kind: 'state', state: live.value, endedBy: endedBy.value, worldId })

function bumpEpoch(): void {
  epoch.value++
  postToTabs({ kind: 'epoch' })
}

let lastId: string | null = null
let worldId: string | null = null
/** True after the stream has announced a new world with this name. */
let expectsWorld = false

/** Pauses between attempts to connect, in milliseconds. */
const pauses = [200, 500, 1000, 2000, 4000]

async function readUntilEnd(signal?: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal?.aborted && live.value !== 'ended') {
    let state: LiveState = 'lost'
    try {
      await readStream(signal, () => {
        failures = 0
      })
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof ForeignShard) state = 'foreign'
    }
    if (signal?.aborted || (live.value as LiveState) === 'ended') return
    if (!expectsWorld && (failures > 0 || live.value !== 'connecting')) setState(state)
    await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures++, pauses.length - 1)]))
  }
}

/** The emulator that answers is another shard than the world's. */
class ForeignShard extends Error {}

async function readStream(signal: AbortSignal | undefined, opened: () => void): Promise<void> {
  const answer = await fetch(urlOf('control.events', {}), {
    cache: 'no-store',
    credentials: 'omit',
    ...(signal && { signal }),
    headers: {
      ...(token.value !== null && { Authorization: `Bearer ${token.value}` }),
      ...(lastId !== null && { 'Last-Event-ID': lastId }),
    },
  })
  if (answer.status === 401) access.value = token.value === null ? 'asking' : 'wrong'
  if (answer.status === 410) return setState('ended')
  if (answer.status === 421) {
    const { errors } = (await answer.json()) as { readonly errors: object }
    if ('world' in errors) return setState('ended', 'moved')
    if ('shard' in errors) throw new ForeignShard()
  }
  if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`)
  opened()
  for await (const event of eventsOf(answer.body)) handle(event)
}

/** Parses server-sent events; only their data matters, because it contains id and type. */
async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<WorldEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = `${rest}${value}`.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = block.split('\n').filter((line) => line.startsWith('data:'))
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n'))
    }
  }
}

function handle(event: WorldEvent): void {
  lastId = event.id
  if (event.type === 'open') {
    const isOther = worldId !== null && worldId !== event.world.id
    const state = !isOther ? 'open' : expectsWorld ? 'reset' : 'restarted'
    expectsWorld = false
    worldId = event.world.id
    setState(state)
    // Also at the first start of the stream, because views may have read their data before it.
    if (isOther || !event.resumed) bumpEpoch()
    return
  }
  if (event.type === 'resync') {
    bumpEpoch()
    return
  }
  if (event.type === 'end') {
    lastId = null
    expectsWorld = event.reason === 'reset' || event.reason === 'restored'
    if (event.reason === 'stopped') setState('lost')
    else if (!expectsWorld) setState('ended', event.reason)
    return
  }
  dispatch(event)
  postToTabs({ kind: 'event', event })
}
