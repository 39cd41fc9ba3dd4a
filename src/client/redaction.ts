const names = 'access_token|refresh_token|client_secret|token|code|password|authorization'
const secretName = new RegExp(`^(${names})$`, 'i')
const secretPair = new RegExp(`((?:^|[?&;\\s"'])(?:${names})["']?\\s*[=:]\\s*["']?)[^&\\s"'#<>]+`, 'gi')

/** Shorter strings turn up by chance. */
const shortestSecret = 6

/** A text with the secret hidden wherever it occurs, as it is or percent-encoded. */
export function hide(text: string, secret: string | undefined): string {
  if (secret === undefined || secret.length < shortestSecret) return text
  return text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
}

/** Hides the token, and values of members and parameters with a secret name, in text of any form. */
export const redactText = (text: string, token: string | undefined): string =>
  hide(text, token).replace(secretPair, '$1***')

/** The headers that a webhook subscription sends: how its receiver knows that they come from the service. */
const hidden = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, '***']))

/** The same for a body: exact in JSON, as far as can be told in anything else. */
export function redactBody(text: string, token: string | undefined): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (secretName.test(name)) return '***'
      if (name === 'headers' && typeof value === 'object' && value !== null) return hidden(value)
      return typeof value === 'string' ? hide(value, token) : value
    })
  } catch {
    return redactText(text, token)
  }
}
