import { isLoopback } from '../client/base_url.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Environment } from '../run/invocation.ts'
import { say } from '../words/text.ts'

/**
 * The proxy that the environment names for requests to `url`: HTTPS_PROXY or HTTP_PROXY, in upper or lower case, unless
 * NO_PROXY excludes the host. Undefined if `url` leads to this machine. Throws UsageError for a proxy that can't be
 * used.
 */
export function proxyFor(url: string, env: Environment): string | undefined {
  if (isLoopback(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const [name, text] = names.map((name) => [name, env[name]] as const).find(([, value]) => value) ?? []
  if (text === undefined || isLeftOut({ hostname, port: port || defaultPorts[protocol] }, env)) return undefined
  const proxy = text.includes('://') ? text : `http://${text}`
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy
  // Does not repeat the value: it may contain a password.
  throw new UsageError(
    say`${name ?? ''} is not a proxy that payctl can use.`,
    'Give a URL like http://proxy.example.com:3128',
  )
}

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

interface Host {
  readonly hostname: string
  readonly port: string | undefined
}

/**
 * True if NO_PROXY excludes the host: NO_PROXY lists hosts, with or without a port, and includes their subdomains; `*`
 * is every host.
 */
function isLeftOut({ hostname, port }: Host, env: Environment): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return (env.no_proxy ?? env.NO_PROXY ?? '').split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    const [, name = '', only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    const bare = name.replace(/^\[|\]$/g, '')
    if (bare === '' || (only !== undefined && only !== port)) return false
    return host === bare || host.endsWith(`.${bare}`)
  })
}
