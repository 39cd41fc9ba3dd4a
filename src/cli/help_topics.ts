import { homedir } from 'node:os'
import { exits } from '../errors/exit_codes.ts'
import {
  auditFile,
  configFile,
  credentialsFile,
  journalFile,
  limitsFile,
  payeesFile,
  recentDeliveriesFile,
} from '../files/directories.ts'
import { columnsOf, field, prose } from '../output/columns.ts'
import type { Column } from '../output/output.ts'
import type { Translate } from '../words/text.ts'
import type { Context } from './command.ts'
import { globalOptions } from './global_options.ts'
import { PayctlHelp } from './help.ts'

/** A page of `payctl help` about a topic: text, or a list that can also be printed in other formats. */
interface Topic {
  readonly summary: string
  /** `translate` translates a text of the help into the language of the run. */
  print(context: Context, translate: Translate): Promise<void>
}

interface TopicRow {
  readonly name: string
  readonly meaning: string
}

/** The columns with headings and meanings in the language of the run. JSON, csv and tsv stay English. */
const shown = <Row extends { readonly meaning: string }>(
  columns: readonly Column<Row>[],
  translate: Translate,
): readonly Column<Row>[] => [
  ...columns.map((column) => ({ ...column, heading: translate(column.name) })),
  {
    ...prose<Row>('meaning', ({ meaning }) => meaning),
    heading: translate('meaning'),
    text: ({ meaning }) => translate(meaning),
  },
]

const nameColumn: Column<TopicRow> = {
  ...field<TopicRow>('name', ({ name }) => name),
  // `~/.config/payctl/config.json`
  text({ name }) {
    const home = homedir()
    return home.length > 1 && name.startsWith(`${home}/`) ? `~${name.slice(home.length)}` : name
  },
  uncut: true,
}

const text = (summary: string, textOf: string | typeof optionLines): Topic => ({
  summary,
  async print(context, translate) {
    const lines = typeof textOf === 'string' ? translate(textOf.trim()) : await textOf(context, translate)
    for (const line of lines.split('\n')) await context.output.line(line)
  },
})

const list = (summary: string, rows: (context: Context) => readonly TopicRow[]): Topic => ({
  summary,
  print: (context, translate) => context.output.list(rows(context), shown([nameColumn], translate)),
})

/** Variables that payctl reads. A flag with the same meaning takes precedence. */
export const environment: Readonly<Record<string, string>> = {
  PAYCTL_BASE_URL: 'URL of the service',
  PAYCTL_AUTH_URL: 'OAuth server of the service',
  PAYCTL_TOKEN: 'access token',
  PAYCTL_CLIENT_ID: 'OAuth client of payctl login',
  PAYCTL_CLIENT_SECRET: 'secret of that OAuth client',
  PAYCTL_PROFILE: 'profile to use',
  PAYCTL_FX_PROVIDER: 'name of the upstream rate provider in URL paths',
  PAYCTL_OUTPUT: 'output format',
  PAYCTL_LANG: 'language of notes, questions, errors and help: en or es',
  PAYCTL_CONTROL_URL: "control URL of this test suite's emulator",
  PAYCTL_CONTROL_TOKEN: 'control token, if the emulator has one',
  PAYCTL_CONFIG_DIR: 'folder for profiles and credentials',
  PAYCTL_STATE_DIR: 'folder for payment intents and the list of running emulators',
  PAYCTL_DEBUG: 'also print the stack of an error',
  BROWSER: 'command that opens a page in a browser',
  HTTPS_PROXY: 'proxy, except for the hosts in NO_PROXY',
  NO_COLOR: 'no colours; signs such as ✓ stay',
  TZ: 'time zone of displayed times',
}

const files = ({ configDir, stateDir }: Context): readonly TopicRow[] => [
  { name: configFile(configDir), meaning: 'profiles and short forms of commands; no secrets' },
  {
    name: credentialsFile(configDir),
    meaning: 'tokens of payctl login, or a note that the keyring has them; only you can read the file',
  },
  {
    name: journalFile(stateDir),
    meaning: 'every payment requested on this machine; payctl payments resume reads this file',
  },
  { name: payeesFile(configDir), meaning: 'saved payees with their holders; only you can read the file' },
  { name: limitsFile(configDir), meaning: 'limits of profiles, and which profiles are live: payctl limits' },
  { name: auditFile(stateDir), meaning: 'requests, and who confirmed them: payctl audit' },
  {
    name: recentDeliveriesFile(stateDir),
    meaning:
      'latest deliveries to payctl webhooks tail, at most 4 MiB, for webhooks replay; only you can read the file',
  },
  { name: stateDir, meaning: 'also lists the running emulators; never delete this folder while a payment is in doubt' },
]

async function optionLines({ io, language }: Context, translate: Translate): Promise<string> {
  const helper = new PayctlHelp()
  if (language === 'es') Object.assign(helper, (await import('./spanish_help.ts')).translated(translate))
  helper.prepareContext({ helpWidth: Math.min(io.stdout.columns || 80, 100) })
  const rows = globalOptions.map((option) => ({
    term: helper.optionTerm(option),
    description: helper.optionDescription(option),
  }))
  const width = Math.max(...rows.map(({ term }) => term.length))
  const items = rows.map(({ term, description }) => helper.formatItem(term, width, description, helper))
  return `${translate('Options of every command, before or after its name')}:\n\n${items.join('\n')}`
}

interface ExitRow extends TopicRow {
  readonly code: number
}

const exitColumns = columnsOf<ExitRow>('code', 'name')

/** Pages of `payctl help <topic>`, in the order in which they are listed. */
export const topics: Readonly<Record<string, Topic>> = {
  options: text('options of every command: service, output, time limits', optionLines),
  environment: list('variables that payctl reads', () =>
    Object.entries(environment).map(([name, meaning]) => ({ name, meaning })),
  ),
  files: list('where payctl keeps its files', files),
  formats: text(
    'tables, JSON, CSV: formats of stdout',
    `
stdout is data, stderr is for people: a script reads stdout and the exit code.

  -o table    for people: the default on a terminal; local times
  -o tsv      the default elsewhere: one line per row, UTC times, plain numbers
  -o csv      the same with commas and quotes; --excel es-CR: for Excel
  -o xlsx     a workbook, into a file: payctl accounts list -o xlsx > a.xlsx
  -o json     one document with everything the service sent; short: --json
  -o ndjson   the same, one line per record, as each arrives
  -o yaml     the same as JSON, for reading
  --jq '.id'  filters the JSON with jq; strings print without quotes

A profile can have its own format: payctl profiles set prod -o json
`,
  ),
  money: text(
    'how amounts are written and printed',
    `
Money is whole minor units (céntimos, cents): 150025 is 1,500.25. Amounts
are never converted to binary fractions.

  --amount 1500.25          major units of the account's currency
  --amount-minor 150025     the same in minor units
  JSON                      { "value": 150025, "currency": "CRC" }
  csv, tsv                  1500.25, and the currency in its own column
  table                     -1,500.25 CRC: a minus for money that went out

payctl refuses an amount with two readings, like 1.500: it does not guess.
`,
  ),
  safety: text(
    'how payctl avoids paying twice, what to do in doubt',
    `
A payment is recorded on this machine before its request is sent, with a key
for which the service pays only once. Whatever happens then (a crash, Ctrl-C, a
lost answer), this command finds out the result:

  payctl payments resume

It reads the history of the service first. If the payment is there, it was made,
and nothing is sent. Otherwise it is sent again with the same key: the service
makes no second payment while it remembers the key. payctl relies on a key for
24 hours (--key-life). For an older payment, payctl asks first; with --yes it
sends nothing and exits with 10.

Exit code 10 means that the answer was lost and money may have moved. Resume the
payment; do not send it as a new payment. All codes: payctl help exit-codes

Scripts: give --idempotency-key your own name for the payment, such as an
invoice number. If the script runs again on this machine, payctl reads the
payment that was made. On another machine, only the service can prevent a second
payment, as long as it remembers the key. --yes asks nothing, --dry-run sends
nothing.
`,
  ),
  'exit-codes': {
    summary: 'what an exit code means',
    print({ output }, translate) {
      const rows = Object.entries(exits).map(([name, exit]) => ({ name, ...exit }))
      return output.list(rows, shown(exitColumns, translate))
    },
  },
}
