import {
  type Attempt,
  contentOf,
  maximumAnswer,
  type Outgoing,
  type Reply,
  type Streamed,
  TooBig,
  type Transport,
} from './exchange.ts'

type Fetch = typeof fetch

/** Sends requests with a function like `fetch`, without a socket, agent or proxy of this client. */
export const fetchTransport = (fetch: Fetch): Transport => ({
  reply: (outgoing, attempt) => reply(fetch, outgoing, attempt).catch(rethrow),
  stream: (outgoing, signal) => stream(fetch, outgoing, signal).catch(rethrow),
})

async function reply(fetch: Fetch, { file, ...outgoing }: Outgoing, { stop, progress }: Attempt): Promise<Reply> {
  // `fetch` does not report when it sends, so the service may have the request from now on.
  progress.sent = true
  return replyOf(await respond(fetch, outgoing, stop), file)
}

async function stream(fetch: Fetch, outgoing: Outgoing, signal: AbortSignal): Promise<Streamed> {
  const closing = new AbortController()
  const response = await respond(fetch, outgoing, AbortSignal.any([signal, closing.signal]))
  const body = response.body ?? new ReadableStream()
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: () => body.pipeThrough(new TextDecoderStream()),
    whole: () => replyOf(response, undefined),
    close: () => closing.abort(),
  }
}

const respond = (fetch: Fetch, { origin, path, method, headers, body }: Outgoing, signal: AbortSignal) =>
  fetch(`${origin}${path}`, {
    method,
    headers: { ...headers },
    signal,
    redirect: 'manual',
    ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
  })

/** Reads a whole answer; as bytes if the answer is a file of the media type `file`. */
async function replyOf(response: Response, file: string | undefined): Promise<Reply> {
  const isFile = file !== undefined && response.headers.get('content-type') === file
  const largest = maximumAnswer({ file: isFile ? file : undefined })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > largest) throw new TooBig()
    chunks.push(chunk)
  }
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, ...contentOf(Buffer.concat(chunks), isFile) }
}

/** Throws the cause of an error of `fetch`, with the code that Node gives the same error on a socket. */
function rethrow(error: unknown): never {
  const { cause = error } = error instanceof TypeError ? error : {}
  const isCut = cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET'
  throw isCut ? Object.assign(new Error(cause.message, { cause }), { code: 'ECONNRESET' }) : cause
}
