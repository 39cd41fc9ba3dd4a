import { platform, versions } from 'node:process'
import { version } from '../../version.ts'
import type { Environment } from '../context.ts'
import { type Finding, ok, warn } from './finding.ts'

/** What payctl runs on. That Node is new enough, bin/payctl.js has made sure of. */
export const machine = (env: Environment): readonly Finding[] => [
  ok('payctl', `${version} on ${platform}`),
  ok('node', versions.node),
  ...proxy(env),
]

const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']

/** Their values may hold a password. */
function proxy(env: Environment): readonly Finding[] {
  const names = proxyVariables.flatMap((name) => [name, name.toLowerCase()]).filter((name) => env[name] !== undefined)
  if (names.length === 0) return []
  const detail = `${names.join(', ')} set; payctl connects directly and uses no proxy`
  return [warn('proxy', detail, 'If the service is only reached through the proxy, run payctl where it is not needed')]
}
