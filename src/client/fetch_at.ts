import { withoutWorld, worldPath } from '../contract/emulator_names.ts'
import { worldHeader } from '../contract/headers.ts'

/**
 * A `fetch` that sends requests to one world of an emulator, whatever the origin of the URL. `baseUrl`: URL of the
 * world. A path that begins with another world's prefix goes to that world of the same emulator.
 */
export const fetchAt =
  (baseUrl: string, worldId: string): typeof fetch =>
  async (input, init) => {
    const isRequest = typeof input === 'object' && 'url' in input
    const { pathname, search } = new URL(isRequest ? input.url : input, baseUrl)
    const base = pathname.startsWith(`${worldPath}/`) ? withoutWorld(baseUrl) : baseUrl
    const request = new Request(`${base}${pathname}${search}`, isRequest ? input : init)
    if (!request.headers.has(worldHeader)) request.headers.set(worldHeader, worldId)
    return fetch(request, isRequest ? init : undefined)
  }
