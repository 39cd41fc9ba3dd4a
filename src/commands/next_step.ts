import { quoted } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Globals } from '../run/invocation.ts'

/** The next step of an engine as a hint of the command line. */
export function hintOf(step: NextStep, globals: Globals): string {
  const here = repeatFlags(globals)
  switch (step.kind) {
    case 'resume':
      return `payctl payments resume ${step.intentId}${step.at ? repeatFlags(step.at) : here}`
    case 'resume_as_its_user':
      return `With that user's login or token: payctl payments resume ${step.intentId}${here}`
    case 'resume_if_own': {
      const { intentId, sentBy } = step
      const token = 'This token may not tell whose it is either: use one with the scope read-user. '
      const resume = `payctl payments resume${intentId === undefined ? '' : ` ${intentId}`}`
      return `${sentBy === null ? token : ''}If it was you: ${resume} --sent-by ${sentBy ?? '<email>'}${here}`
    }
    case 'resume_all':
      return `Find out first: payctl payments resume${here}`
    case 'resume_batch':
      return `To go on afterwards: payctl payments resume --batch ${step.batch}${here}`
    case 'list_batch':
      return `payctl payments intents --batch ${step.batch}`
    case 'get_payment':
      return `payctl payments get ${step.paymentId}${here}`
    case 'read_history_of_new_world':
      return `See what the world that is there now has of it: payctl payments history${here}`
    case 'correct_rows':
      return `Correct them and run it again${step.areAllNamed ? '' : '; --json lists all'}`
    case 'pay_rows_again':
      return `To pay them again: --batch-id ${step.hasBatchId ? '<another name>' : '<name>'}`
    case 'use_token_with_user':
      return `Use a token with the scope read-user: payctl login --profile ${step.profile}`
    case 'update_payee':
      return `Ask the payee. If it is right: payctl payees update ${step.payee}${here}`
    case 'verify_payee':
      return `payctl payees verify ${step.payee}${here}`
    case 'list_payees':
      return `payctl payees list${here}`
    case 'set_journal_aside': {
      const { file } = step
      return `Look up recent payments with: payctl payments history. Then set the file aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`
    }
    default:
      return hints[step.kind]
  }
}

const hints = {
  send_in_new_world: 'Make it anew, in the world that is there: payctl payments send',
  run_in_new_world: 'Run the same command again: what was paid before existed only there',
  send_corrected: 'Send it anew, corrected: payctl payments send',
  change_key: 'Use another key, or leave --idempotency-key out',
  find_by_key: 'Find it with: payctl payments history. To pay once more, use another key',
  run_again: 'Run the same command again',
  list_payments: 'List them with: payctl payments history --all',
  read_history: 'payctl payments history',
  list_intents: 'List them: payctl payments intents',
  list_batches: 'Find its name: payctl payments intents',
  list_unsettled: 'payctl payments intents --unsettled',
  list_accounts: 'payctl accounts list shows them',
  add_source: 'Add it, or name one account for all rows: --from <account id>',
  fill_in_source: 'Name the account to debit, or one for all rows: --from',
  tell_corrected_from_due:
    'If this is that file, corrected: --skip-sent leaves them out. If they are due again: --batch-id <name> sends all',
  make_room_for_journal: 'Make room for it and let this user write there, or set PAYCTL_STATE_DIR to another directory',
  send_uncompared: 'Try again later; a person at a terminal can add --name-unchecked, and is asked',
  name_saved_deliveries: 'Name one that payctl webhooks tail --save has written.',
  name_file_of_values: 'Give --file the path of a text file, one value a line',
} satisfies Partial<Record<NextStep['kind'], string>>

/** Adds the next step to a text, as a sentence or a continuation. */
export function withHint(text: string, step: NextStep | undefined, globals: Globals): string {
  if (!step) return text
  const isClause = !text.endsWith('.') && !text.endsWith('?')
  return `${text}${isClause ? ': ' : ' '}${hintOf(step, globals)}`
}

/** The flags of this run that name its service, for a suggested command. Never the token. */
export function repeatFlags({ profile, emulator, baseUrl }: Pick<Globals, 'profile' | 'emulator' | 'baseUrl'>): string {
  const flags = [
    profile !== undefined && `--profile ${quoted(profile)}`,
    emulator && '--emulator',
    baseUrl !== undefined && `--base-url ${quoted(baseUrl)}`,
  ]
  return flags
    .filter((flag) => flag)
    .map((flag) => ` ${flag}`)
    .join('')
}
