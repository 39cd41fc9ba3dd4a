import { controlEndpoints, endpoints, errorStatuses } from '../src/contract/index.ts'
import { exits } from '../src/errors/exit_codes.ts'
import { markdownTable } from './markdown_table.ts'
import { oauthErrorGrid } from './oauth_reference.ts'

/** Exit codes, and error statuses of the service. */
export const errorsReference = (): string =>
  [
    '# Errors',
    'Written by `npm run docs`.',
    '## Exit codes',
    'With `--json` an error is one line on stderr, `{"error":{"code", "message", ...}}`, where `code` is the name below.',
    'Of a failure that concerns one payment, `intent_id` is its intent: what `payctl payments resume` takes.',
    markdownTable(
      ['exit code', 'name', 'meaning'],
      Object.entries(exits).map(([name, { code, meaning }]) => [code, `\`${name}\``, meaning]),
    ),
    '## Statuses of the service',
    markdownTable(
      ['status', 'meaning', 'messages'],
      Object.entries(errorStatuses).map(([status, meaning]) => [
        status,
        meaning,
        messagesOf(Number(status)).join('<br>'),
      ]),
    ),
    '## OAuth',
    'The `error` of an answer of the token endpoint, or of a redirect back to the client.',
    oauthErrorGrid(),
  ]
    .join('\n\n')
    .concat('\n')

/** Constant messages of a status, over all endpoints. */
function messagesOf(status: number): string[] {
  const rows = [...Object.values(endpoints), ...Object.values(controlEndpoints)]
  const messages = rows.flatMap(({ errors }) => (errors as Record<number, string | null>)[status] ?? [])
  return [...new Set(messages)].map((message) => `\`${message}\``)
}
