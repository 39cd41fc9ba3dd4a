import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { controlEndpoints, type Endpoint, endpoints } from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import { eventLoopDelay } from '../clock.ts'
import { durationBounds, type EndpointCounts } from '../observation/counters.ts'
import { version } from '../version.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import { exposition, type Histogram, type Labels, type Metric } from './exposition.ts'

/**
 * Collects the metrics of an emulator in Prometheus' text format. No label names a world, because there may be
 * thousands of worlds.
 */
export async function scrape(worlds: VisibleWorlds): Promise<string> {
  return exposition([
    gauge('payctl_build_info', 'Always 1; the label is the version of payctl', 1, { version }),
    ...requestMetrics(worlds),
    ...worldMetrics(worlds),
    ...(await deliveryMetrics(worlds)),
    ...commitMetrics(worlds),
    ...processMetrics(worlds),
  ])
}

interface Sample {
  readonly labels?: Labels
  readonly value: number
}

const gauge = (name: string, help: string, value: number, labels: Labels = {}): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: [{ labels, value }],
})

const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  help,
  type: 'counter',
  samples,
})

/** Names of the status classes. The index is the first digit of the status; 0: no answer. */
const classes = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']

const rows: Readonly<Record<string, Endpoint>> = { ...endpoints, ...controlEndpoints }

/** The part of the emulator that an endpoint belongs to. */
function apiOf(endpoint: string): 'service' | 'oauth' | 'control' | 'other' {
  if (endpoint.startsWith('oauth.')) return 'oauth'
  if (endpoint.startsWith('control.')) return 'control'
  return Object.hasOwn(endpoints, endpoint) ? 'service' : 'other'
}

function requestMetrics({ options: { counters } }: VisibleWorlds): readonly Metric[] {
  const counted = [...counters.requests()].flatMap(([team, byEndpoint]) =>
    [...byEndpoint].map(([endpoint, counts]) => ({ team, endpoint, counts })),
  )
  // A stream of events lasts as long as its reader stays connected, so its duration is not counted.
  const timed = counted.filter(({ endpoint }) => rows[endpoint]?.stream === undefined)
  const groups = Map.groupBy(timed, ({ team, endpoint }) => `${apiOf(endpoint)} ${team}`)
  return [
    counter(
      'payctl_http_requests_total',
      'Requests by endpoint and status class; status none: the answer was lost',
      counted.flatMap(({ team, endpoint, counts }) =>
        counts.classes.flatMap((value, at) =>
          value === 0 ? [] : [{ labels: { endpoint, status: classes[at] ?? 'none', team }, value }],
        ),
      ),
    ),
    {
      name: 'payctl_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; event streams are not measured',
      type: 'histogram',
      samples: [...groups].map(([group, members]) => {
        const [api = '', team = ''] = group.split(' ')
        return histogramOf(
          { api, team },
          members.map(({ counts }) => counts),
        )
      }),
    },
  ]
}

function histogramOf(labels: Labels, all: readonly EndpointCounts[]): Histogram {
  const inBucket = (at: number) => all.reduce((sum, { buckets }) => sum + (buckets[at] ?? 0), 0)
  let count = 0
  const buckets = durationBounds.map((ms, at) => {
    count += inBucket(at)
    return { bound: ms / 1000, count }
  })
  const sum = all.reduce((total, { duration }) => total + duration, 0) / 1000
  return { labels, buckets, sum, count: count + inBucket(durationBounds.length) }
}

function worldMetrics(worlds: VisibleWorlds): readonly Metric[] {
  const numbers = new Map<string, { open: number; closed: number; broken: number }>()
  const of = (name: string) => {
    const team = worlds.options.teamOf(name)
    const known = numbers.get(team) ?? { open: 0, closed: 0, broken: 0 }
    numbers.set(team, known)
    return known
  }
  const now = worlds.clock.now()
  let overdue = 0
  for (const { name } of worlds.all()) of(name).open += 1
  for (const { name, broken, due, facts } of worlds.closed()) {
    of(name)[broken === null ? 'closed' : 'broken'] += 1
    // Without facts, it is unknown whether the world has work.
    if (facts !== null && due !== null && due < now) overdue = Math.max(overdue, now - due)
  }
  const { opened, closed, refused } = worlds.options.counters.files
  return [
    {
      name: 'payctl_worlds',
      help: 'Worlds that exist: open, closed until they are needed, or with a file that can’t be opened',
      type: 'gauge',
      samples: [...numbers].flatMap(([team, states]) =>
        Object.entries(states).map(([state, value]) => ({ labels: { state, team }, value })),
      ),
    },
    gauge('payctl_worlds_open_limit', 'Maximum number of world files open at a time', worlds.options.openWorlds),
    gauge(
      'payctl_worlds_overdue_seconds',
      'Longest time for which work of a closed world has been overdue',
      overdue / 1000,
    ),
    counter(
      'payctl_world_files_total',
      'Number of times that a world file was opened, closed, or could not be opened',
      [
        { labels: { result: 'opened' }, value: opened },
        { labels: { result: 'closed' }, value: closed },
        { labels: { result: 'refused' }, value: refused },
      ],
    ),
  ]
}

/** Number of worlds that are read in one turn of the event loop. */
const worldsInTurn = 50

async function deliveryMetrics(worlds: VisibleWorlds): Promise<readonly Metric[]> {
  const { accepted, failed } = worlds.options.counters.attempts
  let [due, later] = [0, 0]
  for (const [at, { world }] of worlds.all().entries()) {
    if (at % worldsInTurn === worldsInTurn - 1) await new Promise<void>((resolve) => void setImmediate(resolve))
    if (world.ended) continue
    const queued = world.store.deliveries.queued(world.clock.now())
    due += queued.due
    later += queued.pending - queued.due
  }
  return [
    {
      name: 'payctl_deliveries_waiting',
      help: 'Webhook deliveries of open worlds that are due now or later',
      type: 'gauge',
      samples: [
        { labels: { state: 'due' }, value: due },
        { labels: { state: 'later' }, value: later },
      ],
    },
    counter('payctl_delivery_attempts_total', 'Attempts to deliver a webhook', [
      { labels: { result: 'accepted' }, value: accepted },
      { labels: { result: 'failed' }, value: failed },
    ]),
  ]
}

const commitMetrics = ({ options: { counters } }: VisibleWorlds): readonly Metric[] => [
  counter('payctl_commits_total', 'Commits of all worlds; concurrent requests share a commit', [
    { value: counters.commits },
  ]),
  counter('payctl_rollbacks_total', 'Transactions that could not be committed', [{ value: counters.rollbacks }]),
]

/** Measures from the first scrape on; each scrape reads the delays since the previous scrape. */
let delay: ReturnType<typeof eventLoopDelay> | undefined

/** Metrics of the process, under the names that client libraries of Prometheus give them. */
function processMetrics({ clock }: VisibleWorlds): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  delay ??= eventLoopDelay()
  const [median, p99, max] = delay.seconds()
  const lag = 'nodejs_eventloop_lag'
  return [
    counter('process_cpu_seconds_total', 'Processor time of the process', [{ value: (user + system) / 1e6 }]),
    gauge(
      'process_start_time_seconds',
      'Start time of the process, in seconds since 1970 (UTC)',
      clock.now() / 1000 - process.uptime(),
    ),
    gauge('process_resident_memory_bytes', 'Resident memory of the process', rss),
    gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript values', heapUsed),
    gauge(`${lag}_p50_seconds`, 'Median delay of the event loop since the last scrape', median),
    gauge(`${lag}_p99_seconds`, '99th percentile of the delay of the event loop since the last scrape', p99),
    gauge(`${lag}_max_seconds`, 'Longest delay of the event loop since the last scrape', max),
    ...fileMetrics(),
  ]
}

/** Number of open file descriptors and their maximum; only on Linux. */
function fileMetrics(): readonly Metric[] {
  try {
    const open = readdirSync('/proc/self/fd').length
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    const metrics = [gauge('process_open_fds', 'Open file descriptors', open)]
    return limit === undefined
      ? metrics
      : [...metrics, gauge('process_max_fds', 'Most file descriptors', Number(limit))]
  } catch {
    return [] // another system
  }
}
