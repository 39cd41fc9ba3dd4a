/**
 * `payctl/msw`: a handler of Mock Service Worker that answers a program's requests from a world. Nothing here needs
 * Node, so that it can be bundled for a browser.
 */
import { bypass, type HttpHandler, HttpResponse, http, passthrough } from 'msw'

/** A world of an emulator: one of this process, or the base URL of any. */
export interface AnsweringWorld {
  readonly baseUrl: string
  readonly fetch?: typeof fetch
}

export interface HandlerOptions {
  /** URL that the program has for the service; default: that of the world. */
  readonly baseUrl?: string
}

/**
 * Handlers for `setupServer` and `setupWorker`: requests below `baseUrl` are answered by the world, by its `fetch` if it
 * has one, else over the network. Requests to the emulator itself pass.
 */
export function handlers(world: AnsweringWorld, { baseUrl = world.baseUrl }: HandlerOptions = {}): HttpHandler[] {
  const mocked = absolute(baseUrl)
  // `world.fetch` takes any origin, and links in answers then have the program's.
  const target = world.fetch ? new URL(mocked).origin : absolute(world.baseUrl)
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    if (isPreflight) return permitting(new Response(null, { status: 204 }), request)
    const headers = new Headers(request.headers)
    for (const name of ofConnection) headers.delete(name)
    // Not the stream: browsers can't send one over HTTP/1.1. MSW makes an empty one of no body.
    const body = await request.arrayBuffer()
    const asked = bypass(`${target}${request.url.slice(mocked.length)}`, {
      method: request.method,
      headers,
      body: body.byteLength === 0 ? null : body,
      signal: request.signal,
      // A browser reports nothing of a redirect that it does not follow.
      redirect: world.fetch ? 'manual' : 'follow',
    })
    try {
      return permitting(await (world.fetch ?? fetch)(asked), request)
    } catch {
      // Otherwise MSW would answer 500.
      return HttpResponse.error()
    }
  }
  // The suite's own requests, such as those of `world.client` and `world.control`.
  const ofSuite = new URL(absolute(world.baseUrl)).origin
  return [http.all(below(mocked), answer), http.all(below(ofSuite), () => passthrough())]
}

const below = (url: string): RegExp => new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([/?]|$)`)

/**
 * Permits a page of another origin to read an answer. With MSW 3 the XMLHttpRequest of jsdom asks for that; a service worker
 * and MSW 2 answer before it matters.
 */
function permitting(response: Response, { headers }: Request): Response {
  const origin = headers.get('origin')
  if (origin === null) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-allow-credentials', 'true')
  response.headers.set('access-control-allow-methods', headers.get('access-control-request-method') ?? '*')
  response.headers.set('access-control-allow-headers', headers.get('access-control-request-headers') ?? '*')
  response.headers.set('access-control-expose-headers', [...response.headers.keys()].join())
  return response
}

/** Headers that MSW may have read from a connection; another connection has its own. */
const ofConnection = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']

/** An absolute URL without a slash at its end; a page may give a relative one. */
function absolute(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return new URL(url, location?.href).href.replace(/\/+$/, '')
}
