const names = 'access_token|refresh_token|client_secret|token|code|code_verifier|password|authorization'
const secretName = new RegExp(`^(${names})$`, 'i')
const secretPair = new RegExp(`((?:^|[?&;\\s"'])(?:${names})["']?\\s*[=:]\\s*["']?)[^&\\s"'#<>]+`, 'gi')

/** Shorter strings turn up by chance. */
const shortestSecret = 6

/** One secret, several, or none. */
export type Secrets = string | readonly string[] | undefined

/** A text with the secrets hidden wherever they occur, as they are or percent-encoded. */
export function hide(text: string, secrets: Secrets): string {
  let clear = text
  for (const secret of [secrets ?? []].flat()) {
    if (secret.length < shortestSecret) continue
    clear = clear.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***')
  }
  return clear
}

/** Hides the secrets, and values of members and parameters with a secret name, in text of any form. */
export const redactText = (text: string, secrets: Secrets): string => hide(text, secrets).replace(secretPair, '$1***')

/** The headers that a webhook subscription sends: how its receiver knows that they come from the service. */
const hidden = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, '***']))

/** The same for a body: exact in JSON, as far as can be told in anything else. */
export function redactBody(text: string, secrets: Secrets): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (secretName.test(name)) return '***'
      if (name === 'headers' && typeof value === 'object' && value !== null) return hidden(value)
      return typeof value === 'string' ? hide(value, secrets) : value
    })
  } catch {
    return redactText(text, secrets)
  }
}
