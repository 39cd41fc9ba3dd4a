import { effect } from '@preact/signals'
import { control } from './api.ts'
import { epoch } from './live.ts'
import { access } from './session.ts'

/** Makes the world keep its moments if it does not do so yet; does not change an existing limit. */
export async function keepMoments(): Promise<void> {
  const { kept } = await control('control.moments.list', { query: { per_page: 1 } })
  if (kept.limit_mib === null) await control('control.moments.keep', { body: {} })
}

/**
 * Keeps moments from the time when the page is opened, even after a restart of the emulator. A world can be forked
 * before a request only if that moment was saved. The world keeps its moments after the page is closed, because other
 * tabs and commands may need them.
 */
export function startMoments(): void {
  effect(() => {
    void epoch.value
    if (access.value !== 'open') return
    queueMicrotask(() => void keepMoments().catch(() => {}))
  })
}
