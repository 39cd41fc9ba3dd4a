/** A native app listens on whatever port is free (RFC 8252, 7.3); all else of the URI has to be as registered. */
const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=[/?]|$)/, '$1')

/** Compares text with text: two URIs that mean the same and are not the same don't match. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (!URL.canParse(uri)) return false
  const bare = withoutLoopbackPort(uri)
  return registered.some((known) => known === uri || withoutLoopbackPort(known) === bare)
}

/** The way back to a client: its URI, query and all, with more in the query. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${inAscii(uri)}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** A header takes nothing else. */
const inAscii = (uri: string): string => uri.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
