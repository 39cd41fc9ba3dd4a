import { UsageError } from '../../errors/cli_error.ts'

/**
 * A parser of the URL of somebody who receives deliveries. Without a scheme it is http: `localhost:3000/hook`.
 * Its errors do not repeat the URL, which may hold a password.
 */
export function receiverUrl(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || /\s/.test(text) || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError('That is no URL of a receiver.', 'Give an http or https URL like https://example.com/hook')
  }
  if (parsed.username || parsed.password) {
    throw new UsageError(
      'The URL of a receiver must not hold a user name or password.',
      'A header tells it that a delivery is true: payctl webhooks create --header X-Secret=@file',
    )
  }
  return url
}
