import { signal } from '@preact/signals'

/** URL below which the world of this page has its endpoints: the page's own, without `_emulator/`. */
export const worldBase = location.pathname.replace(/_emulator\/$/, '').replace(/\/$/, '')

/** Name of that world, from the URL. */
export const worldName = decodeURIComponent(/\/w\/([^/]+)$/.exec(worldBase)?.[1] ?? 'default')

/** URL below which all worlds of the emulator are. */
export const emulatorBase = worldBase.replace(/\/w\/[^/]+$/, '')

const stored = 'payctl control token'

/**
 * Control token of this tab; null: the user entered none, and perhaps the emulator requires none. A cookie would be
 * sent to other ports too.
 */
export const token = signal<string | null>(sessionStorage.getItem(stored))

/** State of access: `asking` until the user enters a token. `used`, `expired`: the code of the link did not work. */
export const access = signal<'checking' | 'open' | 'asking' | 'wrong' | 'used' | 'expired'>('checking')

export function setToken(value: string | null): void {
  token.value = value
  if (value === null) sessionStorage.removeItem(stored)
  else sessionStorage.setItem(stored, value)
}

/** Takes a one-time code out of the address, so that neither history nor a copied link contains it. */
export function takeCode(): string | null {
  const [, code] = /^#code=([\w-]+)/.exec(location.hash) ?? []
  if (code === undefined) return null
  const target = /&to=(.+)$/.exec(location.hash)?.[1] ?? '/'
  history.replaceState(null, '', `#${decodeURIComponent(target)}`)
  return code
}
