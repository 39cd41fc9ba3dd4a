import { signal } from '@preact/signals'

/** URL below which this page's world has its endpoints: the page's own URL without `_emulator/`. */
export const worldBase = location.pathname.replace(/_emulator\/$/, '').replace(/\/$/, '')

/** Name of the page's world, from the URL. */
export const worldName = decodeURIComponent(/\/w\/([^/]+)$/.exec(worldBase)?.[1] ?? 'default')

/** URL below which all worlds of the emulator are. */
export const emulatorBase = worldBase.replace(/\/w\/[^/]+$/, '')

const stored = 'payctl control token'

/**
 * Control token of this tab; null: the user has entered none, and perhaps the emulator requires none. It is not a
 * cookie, because the browser would also send a cookie to other ports.
 */
export const token = signal<string | null>(sessionStorage.getItem(stored))

/**
 * Access to the emulator; `asking` until the user enters a token. `used`, `expired`, `incomplete`, `failed`: the code of
 * the link did not work.
 */
export const access = signal<'checking' | 'open' | 'asking' | 'wrong' | 'used' | 'expired' | 'incomplete' | 'failed'>(
  'checking',
)

export function setToken(value: string | null): void {
  token.value = value
  if (value === null) sessionStorage.removeItem(stored)
  else sessionStorage.setItem(stored, value)
}

/**
 * Returns the one-time code in the address, and removes the code from the address, so that neither the history nor a
 * copied link contains it.
 */
export function takeCode(): string | null {
  const [, code] = /^#code=([\w-]+)/.exec(location.hash) ?? []
  if (code === undefined) return null
  const target = /&to=(.+)$/.exec(location.hash)?.[1] ?? '/'
  history.replaceState(null, '', `#${decodeURIComponent(target)}`)
  return code
}
