import { isLocalUrl, isLoopbackHost } from './http/addresses.ts'
import { type EmulatorOptions, EmulatorRefusal } from './options.ts'
import { demo } from './worlds/seed.ts'

interface Secrets {
  readonly token?: string | undefined
  readonly controlToken?: string | undefined
  readonly clientSecret?: string | undefined
}

/** Minimum length of a secret that strangers can try to guess, in characters. */
const minLength = 20

/** Minimum number of different pairs of neighbouring characters: a repetitive secret has fewer. */
const minPairs = 12

/** Describes how other machines can reach an emulator; null if they can't. */
export function exposure({
  host = '127.0.0.1',
  publicUrl,
  socket,
}: {
  readonly host?: string | undefined
  readonly publicUrl?: string | undefined
  readonly socket?: number | undefined
}): string | null {
  // The address of the socket is known only once the emulator listens.
  if (socket !== undefined) return 'On a socket of another process'

  if (!isLoopbackHost(host.includes(':') ? `[${host}]` : host)) return `Bound to ${host}`
  return publicUrl === undefined || isLocalUrl(publicUrl) ? null : `Under ${publicUrl}`
}

/** Throws EmulatorRefusal for weak secrets of an emulator that other machines can reach. */
export function refuseWeakSecrets({
  host,
  publicUrl,
  socket,
  rngSeed,
  oauthClients = [],
  ...secrets
}: EmulatorOptions): void {
  const exposed = exposure({ host, publicUrl, socket })
  if (exposed === null) return
  if (rngSeed !== undefined) {
    throw new EmulatorRefusal(
      (name) =>
        `${exposed}, the emulator can be reached from other machines, and anyone who knows ${name('rngSeed')} knows its secrets.`,
      (name) => `Leave ${name('rngSeed')} out, or ${name('host')} and ${name('publicUrl')}.`,
    )
  }
  const fault = weakness(secrets) ?? weakClient(oauthClients)
  if (fault === null) return
  throw new EmulatorRefusal(
    `${exposed}, the emulator can be reached from other machines and needs secrets of your own: ${fault}.`,
    (name) =>
      `Give two different secrets (openssl rand -hex 20) with ${name('token')} and ${name('controlToken')}, or leave out ${name('host')} and ${name('publicUrl')}.`,
  )
}

function weakClient(clients: NonNullable<EmulatorOptions['oauthClients']>): string | null {
  for (const { id, secret } of clients) {
    const fault = secret === undefined ? null : weaknessOf(secret)
    if (fault !== null) return `the secret of the OAuth client ${id} ${fault}`
  }
  return null
}

/** Reason why secrets are weak: missing, well known, equal, or easily guessed; null if they are strong. */
export function weakness({ token = '', controlToken = '', clientSecret }: Secrets): string | null {
  const named = [
    ['the token', token],
    ['the control token', controlToken],
    ...(clientSecret === undefined ? [] : [['the client secret', clientSecret] as const]),
  ] as const
  for (const [name, secret] of named) {
    const fault = weaknessOf(secret)
    if (fault !== null) return `${name} ${fault}`
  }
  return new Set(named.map(([, secret]) => secret)).size < named.length ? 'two of them are the same' : null
}

/** Reason why a secret is weak; null: it is strong. Never repeats the secret. */
export function weaknessOf(secret: string): string | null {
  if (secret === '') return 'is missing'
  if (secret === demo.token || secret === demo.clientSecret) return 'is a well-known one'
  if (secret.length < minLength) return `has fewer than ${minLength} characters`
  const pairs = new Set(Array.from({ length: secret.length - 1 }, (_, at) => secret.slice(at, at + 2)))
  return pairs.size < minPairs ? 'repeats itself' : null
}
