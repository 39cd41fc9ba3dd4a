/**
 * `payctl/msw`: handlers for Mock Service Worker that let a world answer a program's requests. Nothing here needs
 * Node, so the module can be bundled for a browser.
 */
import { bypass, type HttpHandler, HttpResponse, http, passthrough } from 'msw'

/** A world of an emulator: a world of this process, or any world by its base URL. */
export interface AnsweringWorld {
  readonly baseUrl: string
  readonly fetch?: typeof fetch
}

export interface HandlerOptions {
  /** URL of the service in the program's configuration; default: the URL of the world. */
  readonly baseUrl?: string
}

/**
 * Handlers for `setupServer` and `setupWorker`: the world answers requests below `baseUrl`, through its `fetch`
 * function if it has one, otherwise over the network. Requests to the emulator itself pass through.
 */
export function handlers(world: AnsweringWorld, { baseUrl = world.baseUrl }: HandlerOptions = {}): HttpHandler[] {
  const mocked = absolute(baseUrl)
  // `world.fetch` accepts any origin, so links in answers have the origin that the program uses.
  const target = world.fetch ? new URL(mocked).origin : absolute(world.baseUrl)
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    if (isPreflight) return permitting(new Response(null, { status: 204 }), request)
    const headers = new Headers(request.headers)
    for (const name of ofConnection) headers.delete(name)
    // Reads the whole body, because browsers can't send a stream over HTTP/1.1. MSW turns a missing body into an empty
    // body.
    const body = await request.arrayBuffer()
    const asked = bypass(`${target}${request.url.slice(mocked.length)}`, {
      method: request.method,
      headers,
      body: body.byteLength === 0 ? null : body,
      signal: request.signal,
      // A browser hides from the program any redirect that it does not follow.
      redirect: world.fetch ? 'manual' : 'follow',
    })
    try {
      return permitting(await (world.fetch ?? fetch)(asked), request)
    } catch {
      // If this handler threw an error, MSW would answer 500.
      return HttpResponse.error()
    }
  }
  // The suite's own requests, such as the requests of `world.client` and `world.control`.
  const ofSuite = new URL(absolute(world.baseUrl)).origin
  return [http.all(below(mocked), answer), http.all(below(ofSuite), () => passthrough())]
}

const below = (url: string): RegExp => new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([/?]|$)`)

/**
 * Permits a page of another origin to read an answer. The XMLHttpRequest of jsdom with MSW 3 needs this; a service
 * worker and MSW 2 answer before the browser checks origins.
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

/** Headers that MSW may have read from a connection; they do not fit another connection. */
const ofConnection = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']

/** An absolute URL without a slash at its end; a page may use a relative URL. */
function absolute(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  return new URL(url, location?.href).href.replace(/\/+$/, '')
}
