import * as contract from '../src/contract/index.ts'
import { eventsReference } from './events_reference.ts'
import { markdownTable } from './markdown_table.ts'
import { oauthReference } from './oauth_reference.ts'
import { fields, schemaSections, typeName } from './schema_markdown.ts'

/** The endpoint tables as pages for people. */
export function apiReference(): string {
  return [
    '# API reference',
    'Written by `npm run docs` from the endpoint tables in `src/contract`. Amounts are integers in minor units (1000 is 10.00); every answer is an envelope `{success, message, data}`, plus `errors` where `success` is false. In the OpenAPI documents an operation is named by its id in camel case: `payments.create` is `paymentsCreate`.',
    ...sections(contract.endpoints),
    ...oauthReference(),
    ...eventsReference(),
    '# Documents',
    'The interface as OpenAPI 3.1, for anybody to read. The emulator serves what is committed beside this page.',
    markdownTable(
      ['path', 'describes'],
      Object.values(contract.documents).map(({ path, summary }) => [`\`${path}\``, summary]),
    ),
    '# The emulator’s own endpoints',
    'They steer and inspect a running emulator. None of them exists on the service.',
    ...sections(contract.controlEndpoints),
    '# Schemas',
    ...schemaSections(),
  ]
    .join('\n\n')
    .concat('\n')
}

function sections(table: contract.Table): string[] {
  const groups = Map.groupBy(Object.entries(table), ([id]) => id.split('.')[0] ?? '')
  return [...groups].flatMap(([group, rows]) => [
    `## ${group}`,
    ...rows.flatMap(([id, row]) => endpointSection(id, row)),
  ])
}

function endpointSection(id: string, endpoint: contract.Endpoint): string[] {
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
      contract.errorStatuses[Number(status) as contract.ErrorStatus],
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
          `Only ${movesMoney.refusals.join(', ')} say that no money moved. After any other answer but success it may have.`,
        ]
      : []),
  ]
}

function accessName(access: contract.Access): string {
  if (access === 'public') return 'anybody'
  if (access === 'control') return 'this machine, or the control token'
  return access.scopes.map((scope) => `\`${scope}\``).join(' or ') || 'any token'
}
