const names = [
  'access_token',
  'refresh_token',
  'id_token',
  'control_token',
  'client_secret',
  'code_verifier',
  'authorization',
  'password',
  'secret',
  'token',
  'code',
].join('|')
const secretName = new RegExp(`^(${names})$`, 'i')
const secretPair = new RegExp(`((?:^|[?&;{,\\s"'])(?:${names})["']?\\s*[=:]\\s*["']?)[^&\\s"'#<>]+`, 'gi')

/** User name and password in a URL. Starts at `://`, because a search for the scheme takes quadratic time. */
const credentials = /(:\/\/)[^\s/"'<>]*@/g

/** The `headers` of a webhook subscription, with which its receiver authenticates deliveries. */
const headersMember = /(["']headers["']\s*:\s*\{)[^}]*/gi

/** Names of headers that authenticate. An idempotency key does not. */
const secretHeader = /authorization|cookie|token|secret|password|signature|api-?key/i

/** Maximum number of characters: shorter secrets would match by chance. */
const shortestSecret = 6

/** One secret, several, or none. */
export type Secrets = string | readonly string[] | undefined

/** Hides the secrets in a text, plain or percent-encoded. */
export function hide(text: string, secrets: Secrets): string {
  let clear = text
  for (const secret of [secrets ?? []].flat()) {
    if (secret.length < shortestSecret) continue
    clear = clear.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
  }
  return clear
}

/** Hides the secrets, and the values of members and parameters with a secret name, in any text. */
export const redactText = (text: string, secrets: Secrets): string =>
  hide(text, secrets).replace(headersMember, '$1***').replace(credentials, '$1***@').replace(secretPair, '$1***')

/** Redacts a body: exactly in JSON, by patterns in other text. */
export function redactBody(text: string, secrets: Secrets): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (secretName.test(name)) return '***'
      if (name.toLowerCase() === 'headers') return withoutValues(value)
      return typeof value === 'string' ? redactUrl(hide(value, secrets)) : value
    })
  } catch {
    return redactText(text, secrets)
  }
}

/** Hides the values of members but not their names. */
const withoutValues = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).map((name) => [name, '***']))
    : value

/** A URL in a body can carry secrets too. */
const redactUrl = (text: string): string => (text.includes('://') ? redactText(text, undefined) : text)

/** Redacts the value of a header; an authorization shows only its scheme. */
export function redactHeader(name: string, value: string, secrets: Secrets): string {
  if (/^(proxy-)?authorization$/i.test(name)) return value.replace(/^(\w+ )?.*$/, '$1***')
  return secretHeader.test(name) ? '***' : redactText(value, secrets)
}
