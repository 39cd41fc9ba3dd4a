import { collect } from '../cli/arguments.ts'
import type { CommandModule } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { listOptions } from '../cli/list_options.ts'

/** The flags, as given. */
export interface ApiFlags {
  readonly field?: readonly string[]
  readonly rawField?: readonly string[]
  readonly header?: readonly string[]
  readonly input?: string
  readonly paginate?: boolean
  readonly include?: boolean
  readonly list?: boolean
}

export const api: CommandModule = (command, context) => {
  command
    .description(
      'Call any endpoint and print the body of its answer, as JSON unless --output says otherwise; csv, tsv and table show ' +
        'its data. Without arguments: list the endpoints. A refusal prints its body too and ends with its exit code. ' +
        'A payment needs an X-Idempotency-Key of yours, and is not asked about: payctl payments send does more for you.',
    )
    .argument('[method]', 'GET unless given; never guessed from the flags')
    .argument('[path]', 'a path of the service, a URL of it, or the id of an endpoint; {name} is taken from the fields')
    .option(
      '-F, --field <key=value>',
      'query of a GET, else member of the body. Numbers, true, false and null are taken as such, @file is read, ' +
        'a[b]=1 and a[]=1 nest',
      collect,
    )
    .option('-f, --raw-field <key=value>', 'the same, always text', collect)
    .option('--input <file>', 'JSON body from a file, or - for stdin; fields then go to the query')
    .option('-H, --header <name: value>', 'sent along', collect)
    .option('--paginate', 'every page of a list, as one list')
    .option('-i, --include', 'print the status and the headers first')
    .option('--list', 'list the endpoints: id, method, path, scopes')
    .action(async (first: string | undefined, second: string | undefined, flags: ApiFlags) => {
      const { listEndpoints } = await import('./api/endpoints.ts')
      if (flags.list || first === undefined) return listEndpoints(context)
      const { callEndpoint } = await import('./api/call.ts')
      await callEndpoint({ words: second === undefined ? [first] : [first, second], flags }, context)
    })
  listOptions(command, listedColumns, context)
  examples(command, [
    'payctl api',
    `payctl api GET ${path} --field per_page=50`,
    `payctl api ${path} --paginate --output ndjson`,
    'payctl api accounts.balance --field id=3f2504e0-4f89-41d3-9a0c-0305e82c3301 --jq .data.formatted',
    "payctl api webhooks.create -F url=https://example.com/hook -F 'events[]=payment.completed'",
    'payctl api webhooks.create --input subscription.json --include',
  ])
}

const path = 'api/accounts'

/** Of the list of endpoints. */
const listedColumns = async (words: readonly string[]) =>
  words.length === 0 ? (await import('./api/endpoints.ts')).columns : null
