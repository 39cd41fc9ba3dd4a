import { serve } from '../support/server.ts'

/** The application that a login returns to. */
export interface Application {
  readonly callback: string
  /** Query of the last request to the callback. */
  called(): URLSearchParams | undefined
}

/**
 * An application that waits for its users on a separate port. The application redirects them to `sendsOnTo`, if set.
 */
export async function startApplication({ host = '127.0.0.1', sendsOnTo = '' } = {}): Promise<Application> {
  let called: URLSearchParams | undefined
  const origin = await serve(
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://application')
      if (pathname === '/callback') called = searchParams
      if (pathname === '/callback' && sendsOnTo) response.writeHead(302, { location: sendsOnTo }).end()
      else response.end('Back at the application')
    },
    { host },
  )
  return { callback: `${origin}/callback`, called: () => called }
}

/** A page of another site, on another origin. */
export async function startForeignPage(markup: string): Promise<string> {
  const origin = await serve((_, response) => response.setHeader('content-type', 'text/html').end(markup))
  return origin.replace('127.0.0.1', 'localhost')
}
