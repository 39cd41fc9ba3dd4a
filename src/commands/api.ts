import { collect } from '../cli/arguments.ts'
import { type CommandRecord, command, type Input } from '../cli/command.ts'
import { array, object } from '../cli/prints.ts'

const flags = {
  '-F, --field <key=value>': {
    about:
      'parameter of a GET’s query, otherwise member of the body. Numbers, true, false and null keep their type, @file is read, ' +
      'a[b]=1 and a[]=1 nest',
    parse: collect,
  },
  '-f, --raw-field <key=value>': { about: 'like --field, but the value is always a string', parse: collect },
  '--input <file>': { about: 'JSON body from a file, or - for stdin; fields then go to the query', of: 'file' },
  '-H, --header <name: value>': { about: 'send this header too', parse: collect },
  '--paginate': { about: 'read every page of a list and print one list' },
  '-i, --include': { about: 'print the status and the headers first' },
  '--list': { about: 'list the endpoints: id, method, path, scopes' },
} as const satisfies CommandRecord['flags']

export type ApiFlags = Input<Record<never, never>, typeof flags>

const path = 'api/accounts'

export const api = command({
  summary: 'Call any endpoint directly, or list all endpoints',
  about:
    'Call any endpoint and print the body of its answer, as JSON unless --output says otherwise; csv, tsv and table ' +
    'show its data. Without arguments: list the endpoints. If the service refuses, prints the body of the refusal, and exits ' +
    'with the code of the error. A payment needs your own X-Idempotency-Key, and is sent without a question. payctl ' +
    'payments send is safer.',
  args: {
    '[method]': {
      about: 'HTTP method (default: the endpoint’s, or GET for a path); never guessed from the flags',
      as: 'first',
    },
    '[path]': {
      about: 'path or URL at the service, or id of an endpoint; fields give the values of {name} in the path',
      as: 'second',
    },
  },
  flags,
  prints: {
    '': array(async () => (await import('./schema/machine_shapes.ts')).endpointRow),
    '<endpoint>': object(async () => (await import('typebox')).Type.Object({})),
  },
  // The columns of an answer depend on its rows.
  columns: async ({ first }) => (first === undefined ? (await import('./api/endpoints.ts')).columns : null),
  examples: [
    'payctl api',
    `payctl api GET ${path} --field per_page=50`,
    `payctl api ${path} --paginate --output ndjson`,
    'payctl api accounts.balance --field id=3f2504e0-4f89-41d3-9a0c-0305e82c3301 --jq .data.formatted',
    "payctl api webhooks.create -F url=https://example.com/hook -F 'events[]=payment.completed'",
    'payctl api webhooks.create --input subscription.json --include',
  ],
  async run({ first, second, ...given }, context) {
    const { listEndpoints } = await import('./api/endpoints.ts')
    if (given.list || first === undefined) return listEndpoints(context)
    const { callEndpoint } = await import('./api/call.ts')
    await callEndpoint({ words: second === undefined ? [first] : [first, second], flags: given }, context)
  },
})
