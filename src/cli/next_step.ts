import { defaultProfile, loginCommand, profileInUse } from '../config/profile.ts'
import { type Advice, inOneLine } from '../errors/advice.ts'
import { quoted } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Globals } from '../run/invocation.ts'
import type { Context } from './command.ts'

/** The run that a next step follows. */
interface Run {
  readonly globals: Globals
  /** The profile in use, where it is known. */
  readonly profile?: () => string
  /** The command as its parents name it: `['payments', 'send']`. */
  readonly path?: readonly string[] | undefined
}

/** A next step within a run, in words. */
export const adviceIn = (
  { globals, env, config }: Pick<Context, 'globals' | 'env' | 'config'>,
  step: NextStep,
): Advice => adviceOf(step, { globals, profile: () => profileInUse(globals, env, () => config) })

/** A next step in the words of the command line, with this run's own flags in its command. */
export function adviceOf(step: NextStep, run: Run): Advice {
  const { globals } = run
  const to = (command: readonly string[], words?: string): Advice => ({ words, command: here(command, globals) })
  switch (step.kind) {
    case 'run':
      return to(step.command, step.words)
    case 'log_in': {
      const profile = step.profile ?? run.profile?.() ?? globals.profile ?? defaultProfile
      return { words: step.words, command: ['payctl', ...loginCommand(profile, globals), ...(step.flags ?? [])] }
    }
    case 'read_help':
      return run.path ? to([...run.path, '--help']) : {}
    case 'resume':
      return step.at
        ? { command: ['payctl', 'payments', 'resume', step.intentId, ...placeFlags(step.at)] }
        : to(['payments', 'resume', step.intentId])
    case 'resume_as_its_user':
      return to(['payments', 'resume', step.intentId], "With that user's login or token")
    case 'resume_if_own': {
      const { intentId, sentBy } = step
      const token = 'Nor does it say who the token belongs to: use one with the scope read-user. '
      const id = intentId === undefined ? [] : [intentId]
      const words = `${sentBy === null ? token : ''}If it was you`
      return to(['payments', 'resume', ...id, '--sent-by', sentBy ?? '<email>'], words)
    }
    case 'resume_all':
      return to(['payments', 'resume'], 'Find out first')
    case 'resume_batch':
      return to(['payments', 'resume', '--batch', step.batch], 'To go on afterwards')
    case 'list_batch':
      return to(['payments', 'intents', '--batch', step.batch])
    case 'send_in_new_world':
      return to(['payments', 'send', '...'], 'To make it again, in the world that is there now')
    case 'read_history_of_new_world':
      return to(['payments', 'history'], 'To see what the world that is there now has of it')
    case 'send_corrected':
      return to(['payments', 'send', '...'], 'To send it again, corrected')
    case 'find_by_key':
      return to(['payments', 'history'], 'To pay again, use another key. To find the one that was made')
    case 'get_payment':
      return to(['payments', 'get', step.paymentId])
    case 'watch_payment':
      return to(['payments', 'watch', step.paymentId])
    case 'list_payments':
      return to(['payments', 'history', '--all'])
    case 'read_history':
      return to(['payments', 'history'])
    case 'list_intents':
      return to(['payments', 'intents'])
    case 'list_batches':
      return to(['payments', 'intents'], 'To find its name')
    case 'list_unsettled':
      return to(['payments', 'intents', '--unsettled'])
    case 'list_accounts':
      return to(['accounts', 'list'])
    case 'correct_rows':
      return { words: `Correct them and run it again${step.areAllNamed ? '' : '; --json lists all'}` }
    case 'pay_rows_again':
      return { words: `To pay them again: --batch-id ${step.hasBatchId ? '<another name>' : '<name>'}` }
    case 'show_limits':
      return { words: 'To see what is used up', command: ['payctl', 'limits', '--profile', step.profile] }
    case 'restore_limits':
      return {
        words: 'Put the file back. Or, at a terminal',
        command: ['payctl', 'limits', 'remove', 'all', '--profile', step.profile],
      }
    case 'count_anew':
      return {
        words: 'Use the state folder as before. Or, at a terminal',
        command: ['payctl', 'limits', 'count-anew', '--profile', step.profile],
      }
    case 'use_token_with_user':
      return {
        words: 'Use a token with the scope read-user',
        command: ['payctl', ...loginCommand(step.profile, globals)],
      }
    case 'name_service':
      return to(
        ['profiles', 'set', step.profile, '--base-url', '<url>'],
        'Set PAYCTL_BASE_URL, give --base-url, or start an emulator (payctl emulate) and add --emulator. To keep one in the profile',
      )
    case 'update_payee':
      return to(['payees', 'update', step.payee], 'Ask the payee. If it is right')
    case 'verify_payee':
      return to(['payees', 'verify', step.payee])
    case 'list_payees':
      return to(['payees', 'list'])
    case 'set_journal_aside': {
      const aside = `mv ${quoted(step.file)} ${quoted(`${step.file}.broken`)}`
      return to(
        ['payments', 'history'],
        `Once you know what has been paid, set the file aside with ${aside} and run this again. To know`,
      )
    }
    case 'use_world': {
      if (step.isAnnounced) return { command: ['payctl', 'accounts', 'list', '--base-url', step.baseUrl] }
      const token = `$(payctl emulator token --base-url ${quoted(step.baseUrl)})`
      return { words: `PAYCTL_BASE_URL=${quoted(step.baseUrl)} PAYCTL_TOKEN=${token} payctl accounts list` }
    }
    default:
      return { words: words[step.kind] }
  }
}

const words = {
  run_in_new_world: 'Run the same command again: what was paid before existed only there',
  change_key: 'Use another key, or leave --idempotency-key out',
  run_again: 'Run the same command again',
  add_source: 'Add it, or name one account for all rows: --from <account>',
  fill_in_source: 'Name the account to debit, or one for all rows: --from',
  confirm_corrected_file:
    'If this is that file, corrected: --skip-sent leaves them out. If they are due again: --batch-id <name> sends all',
  confirm_respelt_rows:
    'If they are the same, write them as they were sent. If they are due again: --batch-id <name> sends all',
  paste_values: 'Copy the cells and paste them as values, or send at a terminal without --yes: it asks',
  make_room_for_journal: 'Make room for it and let this user write there, or set PAYCTL_STATE_DIR to another directory',
  send_uncompared: 'Try again later; a person at a terminal can add --name-unchecked, and is asked',
  name_saved_deliveries: 'Name one that payctl webhooks tail --save has written.',
  name_file_of_values: 'Give --file the path of a text file, one value a line',
} satisfies Partial<Record<NextStep['kind'], string>>

/** Advice in one line, for a note. */
export const hintOf = (step: NextStep, globals: Globals): string => inOneLine(adviceOf(step, { globals })) ?? ''

/** Adds the next step to a text, as a sentence or a continuation. */
export function withHint(text: string, step: NextStep | undefined, globals: Globals): string {
  if (!step) return text
  const isClause = !text.endsWith('.') && !text.endsWith('?')
  return `${text}${isClause ? ': ' : ' '}${hintOf(step, globals)}`
}

/** A command with `payctl` before it and the flags after it that take it to the service of this run. */
const here = (command: readonly string[], globals: Globals): readonly string[] => [
  'payctl',
  ...command,
  ...(goesToService(command) && !namesPlace(command) ? placeFlags(globals) : []),
]

/** Commands that do the same wherever requests of this run go. */
const local: ReadonlySet<string> = new Set(
  'alias completion config emulate explain help openapi profiles schema'.split(' '),
)

const localVerbs: ReadonlySet<string> = new Set(['emulator list', 'emulator stop'])

/** A command that says itself where it goes. */
const namesPlace = (command: readonly string[]): boolean =>
  command.some((word) => /^--(profile|emulator|base-url)(=|$)/.test(word))

const goesToService = (command: readonly string[]): boolean =>
  !local.has(command[0] ?? '') && !localVerbs.has(command.slice(0, 2).join(' ')) && !command.includes('--help')

/** The flags of this run that name its service. Never the token. */
const placeFlags = ({ profile, emulator, baseUrl }: Pick<Globals, 'profile' | 'emulator' | 'baseUrl'>): string[] => [
  ...(profile === undefined ? [] : ['--profile', profile]),
  ...(emulator ? [typeof emulator === 'string' ? `--emulator=${emulator}` : '--emulator'] : []),
  ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
]
