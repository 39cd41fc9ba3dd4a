import { connect } from 'node:net'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { lookupFor } from './base_url.ts'

/** Maximum length of an answer, in characters. */
const longest = 64 * 1024

/**
 * Sends a GET over plain http and returns the body of the answer, whatever its status. Uses a separate connection and
 * HTTP/1.0, so that the answer ends when the connection closes. Rejects if no answer arrives. `timeout`: milliseconds
 * for the whole request.
 */
export function briefRequest(url: URL, signal: AbortSignal, timeout: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(url.port || 80), ...lookupFor(url.href) })
  const end = (why: Error) => socket.destroy(why)
  const timer = setTimeout(() => end(new Error('timeout')), timeout)
  const onAbort = () => end(new Error('aborted'))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let answer = ''
  socket
    .setEncoding('utf8')
    .on('data', (text: string) => {
      answer += text
      if (answer.length > longest) end(new Error('too long'))
    })
    .on('end', () => resolve(answer.slice(answer.indexOf('\r\n\r\n') + 4)))
    .on('error', reject)
    .on('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      reject(new Error('no answer'))
    })
    .write(`GET ${url.pathname}${url.search} HTTP/1.0\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`)
  return promise
}
