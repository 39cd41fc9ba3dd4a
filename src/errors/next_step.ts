import type { Said } from '../words/text.ts'

/**
 * A possible next step, as data from an engine, such as the engine that sends payments. The caller puts the step into
 * words, as the command line does in src/cli/next_step.ts; a program can act on the step.
 */
export type NextStep =
  /**
   * Repeat an intent's request with its own key. `at`: the target of the original request, if this run has another
   * target.
   */
  | { readonly kind: 'resume'; readonly intentId: string; readonly at?: OtherTarget }
  | { readonly kind: 'resume_as_its_user'; readonly intentId: string }
  /**
   * Resume an intent, if the caller knows who sent it. `sentBy`: the user of this run; null if the service does not
   * name the user.
   */
  | { readonly kind: 'resume_if_own'; readonly intentId: string | undefined; readonly sentBy: string | null }
  | { readonly kind: 'resume_all' }
  | { readonly kind: 'resume_batch' | 'list_batch'; readonly batch: string }
  /**
   * Send the payment, run the command or read the history in the emulator's new world. A world is an emulator's state
   * from one reset to the next.
   */
  | { readonly kind: 'send_in_new_world' | 'run_in_new_world' | 'read_history_of_new_world' }
  | { readonly kind: 'send_corrected' | 'change_key' | 'find_by_key' | 'run_again' }
  | { readonly kind: 'get_payment' | 'watch_payment'; readonly paymentId: string }
  | {
      readonly kind:
        | 'list_payments'
        | 'read_history'
        | 'list_intents'
        | 'list_batches'
        | 'list_unsettled'
        | 'list_accounts'
    }
  /**
   * Find out whether a write had an effect before repeating it. The write is a payment, another change, or a change
   * whose output was lost.
   */
  | { readonly kind: 'find_outcome' | 'list_before_repeating' | 'list_intents_before_repeating' }
  /** Name the account to debit: in each row, or once for all rows. */
  | { readonly kind: 'add_source' | 'fill_in_source' }
  /** Name an existing account, or open the first account. */
  | { readonly kind: 'name_account' | 'open_account' }
  /** `areAllNamed`: true if the error names every wrong row. */
  | { readonly kind: 'correct_rows'; readonly areAllNamed: boolean }
  /** Run the command with the file again: the journal lacks some of its rows. */
  | { readonly kind: 'pay_file_again' }
  /** Pay the same rows again with a batch id; if `hasBatchId`, with a different batch id. */
  | { readonly kind: 'pay_rows_again'; readonly hasBatchId: boolean }
  /** Say which rows were sent before, and which rows are due again: only the caller knows. */
  | { readonly kind: 'confirm_corrected_file' | 'confirm_respelt_rows' }
  /** Replace formulas in a payment file with values: a person must review the values. */
  | { readonly kind: 'paste_values' }
  /** Name a sheet of a workbook (`near`: a similar name), or no sheet for a text file. */
  | { readonly kind: 'name_sheet'; readonly near: string | undefined }
  | { readonly kind: 'omit_sheet' }
  /** Look up the columns of a spreadsheet. */
  | { readonly kind: 'look_up_sheet'; readonly file: string }
  /** Name the sheet's column that has the values to look up. `example`: a heading. */
  | { readonly kind: 'name_column'; readonly example: string }
  /** Write the result as CSV because it is too large for a workbook, or replace an existing file. */
  | { readonly kind: 'write_csv' | 'replace_file' }
  | { readonly kind: 'bypass_cache' }
  /** Show the limits of a profile, restore lost limits, or restart the counts if they are in another journal. */
  | { readonly kind: 'show_limits' | 'restore_limits' | 'recount_limits'; readonly profile: string }
  | { readonly kind: 'use_token_with_user'; readonly profile: string }
  /** Send from a terminal, where a person confirms. */
  | { readonly kind: 'send_at_terminal' }
  /**
   * Name the service: no setting contains its URL. `emulators`: flags that select running emulators of this machine.
   */
  | { readonly kind: 'name_service'; readonly profile: string; readonly emulators: readonly string[] }
  /**
   * Name a profile that exists. `near`: a similar name; `isCurrent`: true if the unknown profile was chosen with
   * `profiles use`.
   */
  | {
      readonly kind: 'choose_profile'
      readonly unknown: string
      readonly known: readonly string[]
      readonly near: string | undefined
      readonly isCurrent: boolean
    }
  /** Use a profile that is not marked as live. */
  | { readonly kind: 'choose_test_profile' }
  /** Set the time for which the service remembers keys: the saved time is invalid. */
  | { readonly kind: 'set_key_life'; readonly profile: string }
  | { readonly kind: 'start_emulator' | 'create_world' }
  | { readonly kind: 'set_journal_aside'; readonly file: string }
  /** Use a new world of an emulator. `isAnnounced`: true if payctl sends the emulator a token automatically. */
  | { readonly kind: 'use_world'; readonly baseUrl: string; readonly isAnnounced: boolean }
  /** Accept the new holder of a saved payee, or look up a payee's holder for the first time. */
  | { readonly kind: 'update_payee' | 'verify_payee'; readonly payee: string }
  /** List the saved payees, or send from a terminal: only a person may pay a payee whose name can't be compared. */
  | { readonly kind: 'list_payees' | 'send_uncompared' }
  /** A person must agree to a holder whose name matches in part. */
  | { readonly kind: 'agree_to_holder' }
  | { readonly kind: 'make_room_for_journal' | 'name_saved_deliveries' | 'name_file_of_values' }
  | LogIn
  /** Log in to a service with a separate profile: this run's login is for another service. */
  | { readonly kind: 'log_in_at_service'; readonly baseUrl: string }
  | { readonly kind: 'check_client' | 'choose_port' }
  /** Check the request, the present state of the resource, or the destination of the request. */
  | { readonly kind: 'check_input' | 'check_state' | 'check_base_url' | 'check_auth_url' | 'check_gateway' }
  | { readonly kind: 'check_network' | 'read_service_status' | 'wait_for_rate_limit' }
  /** Read the help of this run's command. */
  | { readonly kind: 'read_help' }
  /** Set payctl up by commands, without questions. */
  | { readonly kind: 'set_up_by_commands'; readonly profile: string }
  /**
   * Change the values that the service refused. `fields`: names of these values in the request, if the service names
   * them.
   */
  | { readonly kind: 'change_values'; readonly fields: readonly string[] }
  /**
   * For commands only. `command`: arguments after `payctl`, without flags that select the target, because the command
   * line adds those of this run. The reader fills in `<...>`; `...` stands for the arguments of this run.
   */
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly words?: Said }

/** Log in to the service of this run. `profile` defaults to the profile of the run. */
export interface LogIn {
  readonly kind: 'log_in'
  readonly profile?: string
  readonly reason?: LogInReason
  /** For commands only: flags of `payctl login`, and words that replace the usual words for the reason. */
  readonly flags?: readonly string[]
  readonly words?: Said
}

export type LogInReason =
  | 'never_logged_in'
  | 'token_refused'
  | 'scope_missing'
  | 'renewal_failed'
  /** Somebody else has logged in to the profile. */
  | 'user_changed'
  /** The user denied access, the client is not allowed to ask for a scope, or no browser answered. */
  | 'access_denied'
  | 'scope_refused'
  | 'no_browser'

/** Target of a command, if it differs from the target of this run. */
interface OtherTarget {
  readonly profile?: string
  readonly baseUrl?: string
}

/** A command to type next, for commands only. `words` introduce the command as a clause, or are whole sentences. */
export const toRun = (command: readonly string[], words?: Said): NextStep => ({
  kind: 'run',
  command,
  ...(words !== undefined && { words }),
})
