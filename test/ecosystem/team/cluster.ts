import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free_port.ts'
import { Supervisor } from '../../support/supervisor.ts'

export const shardNames = ['s1', 's2', 's3'] as const
export type ShardName = (typeof shardNames)[number]

export const token = 'the-token-of-a-team-for-tests-01'
export const controlToken = 'the-control-token-of-a-team-for-tests-02'

const example = fileURLToPath(new URL('../../../docs/examples/team/haproxy.cfg', import.meta.url))

/** Replaces a text that must be in the example. */
function replaced(text: string, what: string, by: string): string {
  if (!text.includes(what)) throw new Error(`haproxy.cfg has no ${what}`)
  return text.replaceAll(what, by)
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** Three shards behind HAProxy with the configuration of the example, on loopback and without TLS. */
export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'payctl-team-'))
  readonly shards: Readonly<Record<ShardName, Supervisor>>
  readonly #port: number
  readonly #proxies: ChildProcess[] = []

  private constructor(port: number, args: readonly string[]) {
    this.#port = port
    const secrets = { PAYCTL_EMULATOR_TOKEN: token, PAYCTL_EMULATOR_CONTROL_TOKEN: controlToken }
    const shard = (name: ShardName) =>
      new Supervisor(
        [
          ...['--shard', name, '--worlds', this.worldsOf(name), '--public-url', this.url, '--rate-limit', 'off'],
          ...args,
        ],
        { ...secrets, PAYCTL_STATE_DIR: join(this.folder, 'state', name), PAYCTL_CONFIG_DIR: this.folder },
      )
    this.shards = { s1: shard('s1'), s2: shard('s2'), s3: shard('s3') }
  }

  static async start(args: readonly string[] = [], prepare: (cluster: Cluster) => Promise<void> = async () => {}) {
    const cluster = new Cluster(await freePort(), args)
    try {
      await prepare(cluster)
      await Promise.all(Object.values(cluster.shards).map((shard) => shard.start()))
      await cluster.#startProxy(`bind 127.0.0.1:${cluster.#port}`, () => isListening(cluster.#port))
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  worldsOf = (shard: ShardName): string => join(this.folder, shard)

  /** Calls a control endpoint through the proxy. */
  async control(path: string, { method = 'GET', body }: { method?: string; body?: object } = {}) {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${controlToken}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { data, message } = (await response.json()) as { data: unknown; message: string }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${message}`)
    return data
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) proxy.kill('SIGKILL')
    await Promise.all(Object.values(this.shards).map((shard) => shard.close()))
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Starts another proxy, with TLS; returns its port. */
  async listenWithTls(certificate: string): Promise<number> {
    const port = await freePort()
    const tls = `bind 127.0.0.1:${port} ssl crt ${certificate} alpn h2,http/1.1`
    await this.#startProxy(tls, () => isListening(port))
    return port
  }

  async #startProxy(bind: string, isUp: () => Promise<boolean>): Promise<void> {
    let text = replaced(
      readFileSync(example, 'utf8'),
      'bind :443 ssl crt /etc/haproxy/payctl.pem alpn h2,http/1.1',
      bind,
    )
    for (const [at, shard] of shardNames.entries()) {
      text = replaced(text, `127.0.0.1:401${at + 1}`, `127.0.0.1:${this.shards[shard].port}`)
    }
    const file = join(this.folder, `haproxy-${this.#proxies.length}.cfg`)
    writeFileSync(file, text)
    const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#proxies.push(proxy)
    let complaint = ''
    proxy.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    const ended = once(proxy, 'exit').then(([code]) => {
      throw new Error(`haproxy ended with ${code}: ${complaint}`)
    })
    const up = async () => {
      while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await Promise.race([up(), ended])
    ended.catch(() => {})
  }
}
