import { isLoopback } from '../client/base_url.ts'
import { defaultProfile, findProfile, loginCommand, profileInUse } from '../config/profile.ts'
import { worldPath } from '../contract/emulator_names.ts'
import { type Advice, inOneLine } from '../errors/advice.ts'
import { quoted } from '../errors/cli_error.ts'
import type { LogInReason, NextStep } from '../errors/next_step.ts'
import type { Globals } from '../run/invocation.ts'
import { asText, inEnglish, type Said, say, type Text, type Translate } from '../words/text.ts'
import type { Context } from './command.ts'

// Puts next steps into words, with the commands to type.

/** The run for which a next step is written. */
interface AdvisedRun {
  readonly globals: Globals
  /** The profile in use, if it is known. */
  readonly profile?: () => string
  /** Base URL of the run, if it is known. */
  readonly baseUrl?: string | undefined
  /** The words that name the command: `['payments', 'send']`. */
  readonly path?: readonly string[] | undefined
}

interface PlaceOfRun extends Pick<Context, 'globals' | 'env'> {
  readonly readConfig: () => Context['config']
}

/** Base URL of a failed run; undefined for an emulator on this machine, or if the configuration is damaged. */
export function baseUrlOf(profile: string, { globals, env, readConfig }: PlaceOfRun): string | undefined {
  if (globals.emulator) return undefined
  const named = globals.baseUrl ?? env.PAYCTL_BASE_URL
  if (named !== undefined) return named
  try {
    return findProfile(readConfig(), profile)?.base_url
  } catch {
    return undefined // reported elsewhere
  }
}

/** Words and command of a next step, for a run with a context. */
export const adviceIn = (
  { globals, env, config }: Pick<Context, 'globals' | 'env' | 'config'>,
  step: NextStep,
): Advice => adviceOf(step, { globals, profile: () => profileInUse(globals, env, () => config) })

/** Words and command of a next step; the command includes the flags that select this run's service. */
export function adviceOf(step: NextStep, run: AdvisedRun): Advice {
  const { kind } = step
  if (pathSteps.has(kind) && run.baseUrl !== undefined && /\/api\/*$/.test(run.baseUrl)) {
    return { words: 'The base URL ends in /api, which payctl adds itself: give it without /api.' }
  }
  if (isIn(commands, kind)) {
    const [command, words] = commands[kind]
    return { words, command: here(command, run.globals) }
  }
  if (isIn(sentences, kind)) return { words: sentences[kind] }
  return (writers[kind] as Writer<NextStep>)(step, run)
}

/** Steps that are one command, with the text that introduces the command. */
const commands = {
  resume_all: [['payments', 'resume'], 'Find out first'],
  send_in_new_world: [['payments', 'send', '...'], 'To make the payment again in the current world'],
  read_history_of_new_world: [['payments', 'history'], 'To look for the payment in the current world'],
  send_corrected: [['payments', 'send', '...'], 'To send the corrected payment'],
  find_by_key: [['payments', 'history'], 'To pay again, use another key. To find the payment that was made'],
  list_payments: [['payments', 'history', '--all']],
  read_history: [['payments', 'history']],
  list_intents: [['payments', 'outbox']],
  list_batches: [['payments', 'batch', 'list'], 'To find the name of the batch'],
  list_unsettled: [['payments', 'outbox', '--unsettled']],
  list_accounts: [['accounts', 'list']],
  find_outcome: [['payments', 'outbox'], 'To see the outcome'],
  list_intents_before_repeating: [['payments', 'outbox'], 'See what was sent before you repeat anything, for example'],
  name_account: [
    ['accounts', 'list'],
    'Give an id, an IBAN, the end of one of them, or a currency. To see your accounts',
  ],
  open_account: [['accounts', 'create'], 'You have no account. Open one'],
  choose_test_profile: [['profiles', 'set', '<name>', '--no-live'], 'Choose another profile. Or, at a terminal'],
  start_emulator: [['emulate']],
  list_payees: [['payees', 'list']],
  read_service_status: [['payments', 'service-status'], 'Try again later. To see whether the payment networks are up'],
} as const satisfies { readonly [Kind in NextStep['kind']]?: readonly [command: readonly string[], words?: string] }

/** Steps that a sentence describes, without a command. */
const sentences = {
  run_in_new_world: 'Run the same command again: earlier payments existed only in the old world',
  change_key: 'Use another key, or leave --idempotency-key out',
  run_again: 'Run the same command again',
  pay_file_again: 'Run the command with the file again: each row is paid once',
  add_source: 'Add the column, or name one account for all rows: --from <account>',
  fill_in_source: 'Name the account to debit, or one for all rows: --from',
  confirm_corrected_file:
    'If this is a corrected version of that file: --skip-sent leaves the repeated rows out. If they are due again: --batch-id <name> sends all rows',
  confirm_respelt_rows:
    'If the payments are the same, write the rows as they were sent. If the payments are due again: --batch-id <name> sends all rows',
  paste_values: 'Copy the cells and paste them as values, or send at a terminal without --yes: payctl then asks',
  omit_sheet: 'Leave --sheet out: it is for .xlsx files',
  write_csv: 'Write CSV: --output-file holders.csv',
  replace_file: 'Name another file, or use --force to replace this file',
  bypass_cache: '--cache none asks again.',
  send_at_terminal: 'A person must run the command at a terminal, without --yes',
  make_room_for_journal:
    'Make room for the journal, let this user write to its folder, or set PAYCTL_STATE_DIR to another directory',
  agree_to_holder:
    'Give the name as the service has it, or send the payment at a terminal without --yes: payctl then asks',
  send_uncompared: 'Try again later, or add --name-unchecked at a terminal: payctl then asks',
  name_saved_deliveries: 'Name a file that payctl webhooks tail --save has written.',
  name_file_of_values: 'Give --file the path of a text file with one value per line',
  check_client: 'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET',
  choose_port: 'Give another port with --port, or leave --port out',
  check_input: 'Check the id or value that you gave; --verbose shows where the request went.',
  check_state: 'Check the current state before you decide: the change may already have been made.',
  check_base_url: 'Check that the base URL is the URL of the API: --verbose shows the answer.',
  check_auth_url: 'Check that the auth URL is the URL of the OAuth server: --verbose shows the answer',
  check_gateway:
    'The answer is not from the service, but from something in front of it, such as a gateway. Try again later; --verbose shows the answer.',
  wait_for_rate_limit: 'Wait a minute and run the command again, or let payctl wait longer: --retries 10',
} as const satisfies { readonly [Kind in NextStep['kind']]?: string }

/** Steps after an answer that may come from a wrong path. */
const pathSteps: ReadonlySet<NextStep['kind']> = new Set(['check_input', 'check_base_url', 'check_gateway'])

const paymentFlags: Readonly<Record<string, string>> = {
  source_account_id: '--from',
  recipient_iban: '--to',
  recipient_phone: '--to',
  amount: '--amount',
  description: '--description',
  recipient_email: '--recipient-email',
  'X-Idempotency-Key': '--idempotency-key',
}
const pageFlags: Readonly<Record<string, string>> = { per_page: '--per-page', page: '--page' }

/** Flags of commands, keyed by command and by field of the request. */
const flagsOfFields: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['payments send', paymentFlags],
  ['payments validate', paymentFlags],
  ['payments history', pageFlags],
  ['accounts list', pageFlags],
  ['accounts create', { currency: '--currency' }],
  ['webhooks create', { url: '--url', events: '--events' }],
])

const urlShown = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

const logInWords: Readonly<Record<LogInReason, string>> = {
  never_logged_in: 'Log in, or set PAYCTL_TOKEN. With a running emulator, --emulator finds its token.',
  token_refused:
    'Log in again, or set PAYCTL_TOKEN to a token that is still valid. With a running emulator, --emulator finds its token.',
  scope_missing: 'Log in again and allow the scope, or set PAYCTL_TOKEN to a token that has it',
  renewal_failed: 'Try again later, or log in again',
  user_changed: 'Log in again as the user of this run, and resume the unfinished payments',
  access_denied: 'To log in again and allow access',
  scope_refused: 'To ask for other scopes',
  no_browser: 'If no browser can reach this machine, add --no-browser.',
}

type Writer<Step extends NextStep> = (step: Step, run: AdvisedRun) => Advice

/** The member of NextStep with this kind. */
type StepOf<Kind, Step = NextStep> = Step extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Step
    : never
  : never

type WrittenKind = Exclude<NextStep['kind'], keyof typeof commands | keyof typeof sentences>

/** Steps whose words or command depend on the facts in the step. */
const writers: { readonly [Kind in WrittenKind]: Writer<StepOf<Kind> & NextStep> } = {
  run: ({ command, words }, run) => to(run, command, words),
  list_before_repeating: (_, run) => {
    const [group] = run.path ?? []
    return group === 'accounts' || group === 'webhooks'
      ? to(run, [group, 'list'], 'List what exists before you repeat the command')
      : to(run, ['accounts', 'list'], 'List what exists before you repeat the command, for example')
  },
  read_help: (_, run) => (run.path ? to(run, [...run.path, '--help']) : {}),
  change_values({ fields }, run) {
    const { path = [] } = run
    const flagOf = flagsOfFields.get(path.join(' ')) ?? {}
    const flags = [...new Set(fields.flatMap((name) => flagOf[name] ?? []))]
    if (flags.length > 0) return { words: say`Change ${flags.join(' and ')} and run the command again.` }
    return path.length > 0 ? to(run, [...path, '--help']) : {}
  },
  check_network: (_, run) =>
    run.baseUrl === undefined || isLoopback(run.baseUrl)
      ? to(run, ['emulate'], 'Check the base URL and the network, or work offline')
      : to(
          run,
          ['doctor'],
          say`Check the network, and that the base URL is right: ${urlShown(run.baseUrl)}. To look closer`,
        ),
  log_in(step, { globals, profile: inUse }) {
    const { reason, flags = [], words = reason && logInWords[reason] } = step
    const profile = step.profile ?? inUse?.() ?? globals.profile ?? defaultProfile
    const isSaid = reason === 'no_browser' && flags.includes('--no-browser')
    return { words: isSaid ? undefined : words, command: ['payctl', ...loginCommand(profile, globals), ...flags] }
  },
  log_in_at_service: ({ baseUrl }, run) =>
    to(
      run,
      ['login', '--profile', '<name>', '--base-url', baseUrl],
      'Set PAYCTL_TOKEN, or log in there with a separate profile',
    ),
  use_token_with_user: ({ profile }, { globals }) => ({
    words: 'Use a token with the scope read-user',
    command: ['payctl', ...loginCommand(profile, globals)],
  }),

  create_world(_, run) {
    // The URL of an ended world no longer works; the part before `/w/` is the emulator's own URL.
    const [emulator = '', world] = (run.baseUrl ?? '').split(`${worldPath}/`)
    const command = ['emulator', 'worlds', 'create', ...(world === undefined ? [] : ['--base-url', emulator])]
    return to(run, command, 'That world is gone for good. To create another world')
  },

  resume: ({ intentId, at }, run) =>
    at
      ? { command: ['payctl', 'payments', 'resume', intentId, ...placeFlags(at)] }
      : to(run, ['payments', 'resume', intentId]),
  resume_as_its_user: ({ intentId }, run) =>
    to(run, ['payments', 'resume', intentId], "With that user's login or token"),
  resume_if_own({ intentId, sentBy }, run) {
    const id = intentId === undefined ? [] : [intentId]
    const words =
      sentBy === null
        ? 'The service also does not say who the token belongs to: use a token with the scope read-user. If you are the sender'
        : 'If you are the sender'
    return to(run, ['payments', 'resume', ...id, '--sent-by', sentBy ?? '<email>'], words)
  },
  resume_batch: ({ batch }, run) => to(run, ['payments', 'resume', '--batch', batch], 'To continue afterwards'),
  list_batch: ({ batch }, run) => to(run, ['payments', 'batch', 'show', batch]),
  get_payment: ({ paymentId }, run) => to(run, ['payments', 'get', paymentId]),
  watch_payment: ({ paymentId }, run) => to(run, ['payments', 'watch', paymentId]),
  correct_rows: ({ areAllNamed }) => ({
    words: areAllNamed
      ? 'Correct the file and run the command again'
      : 'Correct the file and run the command again; --json lists every wrong row',
  }),
  pay_rows_again: ({ hasBatchId }) => ({
    words: hasBatchId ? 'To pay the rows again: --batch-id <another name>' : 'To pay the rows again: --batch-id <name>',
  }),
  name_sheet: ({ near }) => ({
    words: near === undefined ? 'Name one of these sheets with --sheet' : say`Did you mean --sheet '${near}'?`,
  }),
  look_up_sheet: ({ file }, run) => to(run, ['lookup', file], 'To look up the values in the columns of the file'),
  name_column: ({ example }) => ({ words: say`Name the column: --column '${example}'` }),
  update_payee: ({ payee }, run) => to(run, ['payees', 'update', payee], 'Ask the payee. If the new holder is right'),
  verify_payee: ({ payee }, run) => to(run, ['payees', 'verify', payee]),

  show_limits: ({ profile }) => ({
    words: 'To see how much of the limits is used',
    command: ['payctl', 'limits', '--profile', profile],
  }),
  restore_limits: ({ profile }) => ({
    words: 'Put the file back. Or, at a terminal',
    command: ['payctl', 'limits', 'remove', 'all', '--profile', profile],
  }),
  recount_limits: ({ profile }) => ({
    words: 'Use the same state folder as before. Or, at a terminal',
    command: ['payctl', 'limits', 'recount', '--profile', profile],
  }),
  set_key_life: ({ profile }, run) => to(run, ['profiles', 'set', profile, '--key-life', '24h']),
  name_service({ profile, emulators }, run) {
    const [emulator] = emulators
    const offline =
      emulators.length > 1
        ? say`${emulators.length} emulators are running: add ${emulators.join(' or ')}.`
        : emulator === undefined
          ? say`Work offline: payctl emulate, then --emulator.`
          : say`An emulator is running: add --emulator.`
    const login = ['payctl', ...loginCommand(profile), '--base-url', '<url>'].join(' ')
    const words = say`Log in: ${login}. Or only save the URL: payctl profiles set ${profile} --base-url <url>. Or set PAYCTL_BASE_URL.`
    return to(run, ['init'], say`${offline} ${words} To set it up with questions`)
  },
  set_up_by_commands({ profile }) {
    const commands =
      `payctl profiles set ${profile} --base-url <url>; payctl login -p ${profile} --with-token < token.txt; ` +
      `payctl profiles set ${profile} --from <account>; payctl completion --help`
    return { words: say`By commands: ${commands}` }
  },
  choose_profile({ unknown, known, near, isCurrent }, run) {
    const command = isCurrent ? ['profiles', 'use', '<name>'] : ['profiles', 'set', unknown, '--base-url', '<url>']
    const profiles = say`Profiles: ${known.join(', ')}.`
    return to(run, command, near === undefined ? profiles : say`${say`Did you mean ${near}?`} ${profiles}`)
  },
  set_journal_aside({ file }, run) {
    const aside = `mv ${quoted(file)} ${quoted(`${file}.broken`)}`
    const words = say`Once you know what has been paid, set the file aside with ${aside} and run this command again. To find out`
    return to(run, ['payments', 'history'], words)
  },
  use_world({ baseUrl, isAnnounced }) {
    if (isAnnounced) return { command: ['payctl', 'accounts', 'list', '--base-url', baseUrl] }
    const token = `$(payctl emulator token --base-url ${quoted(baseUrl)})`
    return { words: `PAYCTL_BASE_URL=${quoted(baseUrl)} PAYCTL_TOKEN=${token} payctl accounts list` }
  },
}

const isIn = <Table extends object>(table: Table, kind: NextStep['kind']): kind is NextStep['kind'] & keyof Table =>
  Object.hasOwn(table, kind)

const to = ({ globals }: AdvisedRun, command: readonly string[], words?: Said): Advice => ({
  words,
  command: here(command, globals),
})

/** Advice in one line, for a note. */
export const hintOf = (step: NextStep, globals: Globals, translate: Translate = inEnglish): string =>
  translate(inOneLine(adviceOf(step, { globals })) ?? '')

/** Adds the next step to a text, as a sentence or a continuation. */
export function saidWithHint(said: Said, step: NextStep, globals: Globals): Text {
  const hint = asText(inOneLine(adviceOf(step, { globals })) ?? '')
  return /[.?]$/.test(String(said)) ? say`${asText(said)} ${hint}` : say`${asText(said)}: ${hint}`
}

/** Translated text with its next step; without a step, only the text. */
export const withHint = (
  said: Said,
  step: NextStep | undefined,
  globals: Globals,
  translate: Translate = inEnglish,
): string => translate(step ? saidWithHint(said, step, globals) : said)

/**
 * Adds `payctl` before a command and, if the command depends on the service of this run, adds the flags that select
 * this service.
 */
function here(command: readonly string[], globals: Globals): readonly string[] {
  const [name = ''] = command
  const isLocal = localCommands.has(name) || localVerbs.has(command.slice(0, 2).join(' ')) || command.includes('--help')
  const namesPlace = command.some((word) => /^--(profile|emulator|base-url)(=|$)/.test(word))
  return ['payctl', ...command, ...(isLocal || namesPlace ? [] : placeFlags(globals))]
}

/** Commands that do not depend on the service of this run. */
const localCommands: ReadonlySet<string> = new Set(
  'alias completion config emulate explain help openapi profiles schema'.split(' '),
)

const localVerbs: ReadonlySet<string> = new Set(['emulator list', 'emulator stop'])

/** The flags of this run that name its service. Never the token. */
const placeFlags = ({ profile, emulator, baseUrl }: Pick<Globals, 'profile' | 'emulator' | 'baseUrl'>): string[] => [
  ...(profile === undefined ? [] : ['--profile', profile]),
  ...(emulator ? [typeof emulator === 'string' ? `--emulator=${emulator}` : '--emulator'] : []),
  ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
]
