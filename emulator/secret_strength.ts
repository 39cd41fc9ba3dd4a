import { type EmulatorOptions, EmulatorRefusal } from './options.ts'
import { isLoopbackHost } from './own_address.ts'
import { demo } from './seed.ts'

interface Secrets {
  readonly token?: string | undefined
  readonly controlToken?: string | undefined
  readonly clientSecret?: string | undefined
}

/** How long a secret has to be that strangers may try to guess, in characters. */
const shortest = 20

/** How many different pairs of neighbouring characters it has at least: one that repeats itself has fewer. */
const fewestPairs = 12

/** Whether a server bound to this host is reached from this machine alone. */
export const isOnLoopback = (host: string): boolean => isLoopbackHost(host.includes(':') ? `[${host}]` : host)

/** Beyond loopback anybody may knock: refuses secrets that would not keep strangers out. */
export function refuseWeakSecrets({ host = '127.0.0.1', ...secrets }: EmulatorOptions): void {
  if (isOnLoopback(host)) return
  const fault = weakness(secrets)
  if (fault === null) return
  throw new EmulatorRefusal(
    `Bound to ${host}, the emulator can be reached from other machines and needs secrets of your own: ${fault}.`,
    'Give two different ones (openssl rand -hex 20) with --token-file and --control-token-file, or leave --host out.',
  )
}

/** Why these would not keep strangers out: missing, well known, the same, or easily guessed; null when they would. */
export function weakness({ token = '', controlToken = '', clientSecret }: Secrets): string | null {
  const named = [
    ['the token', token],
    ['the control token', controlToken],
    ...(clientSecret === undefined ? [] : [['the client secret', clientSecret] as const]),
  ] as const
  for (const [name, secret] of named) {
    const fault = faultOf(secret)
    if (fault !== null) return `${name} ${fault}`
  }
  return new Set(named.map(([, secret]) => secret)).size < named.length ? 'two of them are the same' : null
}

/** What makes a secret easy to guess, or null; never repeats it. */
function faultOf(secret: string): string | null {
  if (secret === '') return 'is missing'
  if (secret === demo.token || secret === demo.clientSecret) return 'is a well-known one'
  if (secret.length < shortest) return `has fewer than ${shortest} characters`
  const pairs = new Set(Array.from({ length: secret.length - 1 }, (_, at) => secret.slice(at, at + 2)))
  return pairs.size < fewestPairs ? 'repeats itself' : null
}
