/** Default values of a subscription; `timeout` in seconds. */
export const subscriptionDefaults = { max_attempts: 3, timeout: 30, reason: 'Manual suspension' } as const

/** Reason why deliveries can't go to a URL; null if they can. */
export function targetFault(url: string): string | null {
  if (!URL.canParse(url)) return 'The url field must be a valid http or https URL.'
  const { username, password } = new URL(url)
  return username || password ? 'The url field must not carry credentials; use headers.' : null
}

/** Reason why headers can't be sent together; null if they can. Names are case-insensitive. */
export function headersFault(headers: object | null): string | null {
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? null : `The headers field has ${twice} twice.`
}
