import type { TObject } from 'typebox'
import {
  type Access,
  controlEndpoints,
  deliveryHeaders,
  documents,
  type Endpoint,
  type ErrorStatus,
  endpoints,
  errorStatuses,
  eventNames,
  eventSummaries,
  events,
  httpErrors,
  type OAuthEndpoint,
  oauthEndpoints,
  oauthErrors,
  type Table,
} from '../src/contract/index.ts'
import { exits } from '../src/errors/exit_codes.ts'
import { fields, markdownTable, schemaSections, typeName } from './markdown.ts'

/** The API reference as Markdown: tables of the endpoints, of OAuth, of the events and of the documents. */
export function apiReference(): string {
  return [
    '# API reference',
    'Written by `npm run docs` from the endpoint tables in `src/contract`. Amounts are integers in minor units (1000 is 10.00); every answer is an envelope `{success, message, data}`, plus `errors` where `success` is false. In the OpenAPI documents an operation is named by its id in camel case: `payments.create` is `paymentsCreate`.',
    ...sections(endpoints),
    ...oauthReference(),
    ...eventsReference(),
    '# Documents',
    'The interface as OpenAPI 3.1, for anybody to read. The emulator serves what is committed beside this page.',
    markdownTable(
      ['path', 'describes'],
      Object.values(documents).map(({ path, summary }) => [`\`${path}\``, summary]),
    ),
    '# The emulator’s own endpoints',
    'They steer and inspect a running emulator. None of them exists on the service.',
    ...sections(controlEndpoints),
    '# Schemas',
    ...schemaSections(),
  ]
    .join('\n\n')
    .concat('\n')
}

function sections(table: Table): string[] {
  const groups = Map.groupBy(Object.entries(table), ([id]) => id.split('.')[0] ?? '')
  return [...groups].flatMap(([group, rows]) => [
    `## ${group}`,
    ...rows.flatMap(([id, row]) => endpointSection(id, row)),
  ])
}

function endpointSection(id: string, endpoint: Endpoint): string[] {
  const { method, path, summary, description, access, success, errors, movesMoney } = endpoint
  const inputs = [
    ...fields('path', endpoint.params),
    ...fields('query', endpoint.query),
    ...fields('header', endpoint.headers),
    ...fields('body', endpoint.body),
  ]
  const answers = [
    [success.status, `\`${success.message}\``, typeName(success.data)],
    ...Object.entries(errors).map(([status, message]) => [
      status,
      message === null ? 'varies' : `\`${message}\``,
      errorStatuses[Number(status) as ErrorStatus],
    ]),
  ]
  return [
    `### \`${method} ${path}\``,
    `${summary}. Id: \`${id}\`. Access: ${accessName(access)}.`,
    ...(description ? [description] : []),
    ...(inputs.length > 0 ? [markdownTable(['in', 'name', 'type', '', 'rules'], inputs)] : []),
    markdownTable(['status', 'message', 'data'], answers),
    ...(movesMoney
      ? [
          `Only ${movesMoney.refusals.join(', ')} say that no money moved. After any other answer except success, money may have moved.`,
        ]
      : []),
  ]
}

function accessName(access: Access): string {
  if (access === 'public') return 'anybody'
  if (access === 'control') return 'this machine, or the control token'
  return access.scopes.map((scope) => `\`${scope}\``).join(' or ') || 'any token'
}

/** Markdown sections of the OAuth endpoints. */
const oauthReference = (): string[] => [
  '# OAuth',
  'Relative to the auth URL. Answers have no envelope; an error is `{error, message}` with one of the codes in [errors.md](errors.md#oauth).',
  ...Object.entries(oauthEndpoints).flatMap(([id, row]) => oauthSection(id, row)),
]

function oauthSection(id: string, endpoint: OAuthEndpoint): string[] {
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
    ...pages.map((status) => [status, errorPage]),
    [429, pages.length > 0 ? errorPage : `\`${httpErrors[429]}\`, in an envelope`],
  ].sort(([a], [b]) => Number(a) - Number(b))
  return [
    `### \`${method} ${path}\``,
    `${summary}. Id: \`${id}\`.`,
    markdownTable(['in', 'name', 'type', '', 'rules'], inputs),
    markdownTable(['status', 'answer'], answers),
  ]
}

const errorPage = 'a page that says why'

type Code = keyof typeof oauthErrors

const codes = (names: readonly Code[]): string => names.map((code) => `\`${code}\``).join(', ')

/** Table of the OAuth error codes and their meanings. */
const oauthErrorTable = (): string =>
  markdownTable(
    ['error', 'meaning'],
    Object.entries(oauthErrors).map(([code, meaning]) => [`\`${code}\``, meaning]),
  )

/** Markdown sections of the events. */
const eventsReference = (): string[] => [
  '# Events',
  `Delivered to webhook subscriptions as \`{event, data, timestamp}\`, by POST, with the subscription’s own headers, \`${deliveryHeaders.id}\` (the same over all attempts) and \`${deliveryHeaders.attempt}\` (1 for the first).`,
  markdownTable(
    ['event', 'when'],
    eventNames.map((name) => [`\`${name}\``, eventSummaries[name]]),
  ),
  'All have these members in `data`:',
  dataTable('payment.created'),
  '`payment.failed` has two more:',
  dataTable('payment.failed', Object.keys(events['payment.created'].properties.data.properties)),
]

/** Table of the members of an event's data, without the members that all events have. */
function dataTable(name: (typeof eventNames)[number], known: readonly string[] = []): string {
  const rows = fields('', events[name].properties.data).map(([, ...cells]) => cells)
  return markdownTable(
    ['name', 'type', '', 'rules'],
    rows.filter(([member]) => !known.includes(member?.replaceAll('`', '') ?? '')),
  )
}

/** The exit codes of payctl, and the error statuses of the service. */
export const errorsReference = (): string =>
  [
    '# Errors',
    'Written by `npm run docs`.',
    '## Exit codes',
    'With `--json` an error is one line on stderr, `{"error":{"code", "message", ...}}`, where `code` is the name below.',
    'For a failure that concerns one payment, `intent_id` is the id of its intent, which `payctl payments resume` takes.',
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
    oauthErrorTable(),
  ]
    .join('\n\n')
    .concat('\n')

/** Fixed messages that endpoints send with an error status, without duplicates. */
function messagesOf(status: number): string[] {
  const rows = [...Object.values(endpoints), ...Object.values(controlEndpoints)]
  const messages = rows.flatMap(({ errors }) => (errors as Record<number, string | null>)[status] ?? [])
  return [...new Set(messages)].map((message) => `\`${message}\``)
}
