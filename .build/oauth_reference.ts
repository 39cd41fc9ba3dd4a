import type { TObject } from 'typebox'
import { httpErrors, type OAuthEndpoint, oauthEndpoints, oauthErrors } from '../src/contract/index.ts'
import { markdownTable } from './markdown_table.ts'
import { fields, typeName } from './schema_markdown.ts'

/** The OAuth table as sections. */
export const oauthReference = (): string[] => [
  '# OAuth',
  'Relative to the auth URL. Answers have no envelope; an error is `{error, message}` with one of the codes in [errors.md](errors.md#oauth).',
  ...Object.entries(oauthEndpoints).flatMap(([id, row]) => section(id, row)),
]

function section(id: string, endpoint: OAuthEndpoint): string[] {
  const { method, path, summary, query, body, accepts = [], success, errors, redirects, pages } = endpoint
  const inputs = [
    ...fields('query', query as TObject | undefined),
    ...(body ? [['body', '', typeName(body), 'required', accepts.map((type) => `\`${type}\``).join(' or ')]] : []),
  ]
  const redirect = [303, `back to the client with ${codes(redirects)} as \`error\``]
  const answers = [
    ...(success.data === 'redirect' ? [[success.status, 'back to the client with a code']] : []),
    ...(success.data === 'page' ? [[success.status, 'a page for the user']] : []),
    ...(typeof success.data === 'object' ? [[success.status, typeName(success.data)]] : []),
    ...(redirects.length > 0 ? [redirect] : []),
    ...Object.entries(errors).map(([code, status]) => [status, codes([code as Code])]),
    ...pages.map((status) => [status, telling]),
    [429, pages.length > 0 ? telling : `\`${httpErrors[429]}\`, in an envelope`],
  ].sort(([a], [b]) => Number(a) - Number(b))
  return [
    `### \`${method} ${path}\``,
    `${summary}. Id: \`${id}\`.`,
    markdownTable(['in', 'name', 'type', '', 'rules'], inputs),
    markdownTable(['status', 'answer'], answers),
  ]
}

const telling = 'a page that tells the user why'

type Code = keyof typeof oauthErrors

const codes = (names: readonly Code[]): string => names.map((code) => `\`${code}\``).join(', ')

/** Table of the error codes and their meanings. */
export const oauthErrorGrid = (): string =>
  markdownTable(
    ['error', 'meaning'],
    Object.entries(oauthErrors).map(([code, meaning]) => [`\`${code}\``, meaning]),
  )
