/**
 * What can be done next, as a fact that an engine knows. Whoever shows it finds the words: the command line in
 * src/cli/next_step.ts; a program can act on it.
 */
export type NextStep =
  /** Repeat an intent's request with its own key. `at`: where it was sent, if that is not where this run goes. */
  | { readonly kind: 'resume'; readonly intentId: string; readonly at?: Elsewhere }
  | { readonly kind: 'resume_as_its_user'; readonly intentId: string }
  /** Only if the caller knows who sent it. `sentBy`: the user of this run; null where the service does not tell. */
  | { readonly kind: 'resume_if_own'; readonly intentId: string | undefined; readonly sentBy: string | null }
  | { readonly kind: 'resume_all' }
  | { readonly kind: 'resume_batch' | 'list_batch'; readonly batch: string }
  /** A world is what an emulator holds from one reset to the next. */
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
  /** The account to debit: in each row, or one for all. */
  | { readonly kind: 'add_source' | 'fill_in_source' }
  /** `areAllNamed`: whether all rows that are wrong are in the error. */
  | { readonly kind: 'correct_rows'; readonly areAllNamed: boolean }
  /** The same rows once more: under a batch id, or another one. */
  | { readonly kind: 'pay_rows_again'; readonly hasBatchId: boolean }
  /** Rows that were sent before are left out, or are due again: only the caller knows. */
  | { readonly kind: 'tell_corrected_from_due' | 'tell_respelt_from_due' }
  /** Results of formulas in a file of payments: a person looks at them. */
  | { readonly kind: 'paste_values' }
  /** Limits of a profile: what they are; what to do where they are gone, or counted elsewhere. */
  | { readonly kind: 'show_limits' | 'restore_limits' | 'count_anew'; readonly profile: string }
  | { readonly kind: 'use_token_with_user'; readonly profile: string }
  /** Nothing says where requests go. */
  | { readonly kind: 'name_service'; readonly profile: string }
  | { readonly kind: 'set_journal_aside'; readonly file: string }
  /** A new world of an emulator. `isAnnounced`: whether payctl sends a token there by itself. */
  | { readonly kind: 'use_world'; readonly baseUrl: string; readonly isAnnounced: boolean }
  /** Of a saved payee: accept another holder, or have the service name the first one. */
  | { readonly kind: 'update_payee' | 'verify_payee'; readonly payee: string }
  /** Only a person at a terminal can send to a payee whose name can't be compared. */
  | { readonly kind: 'list_payees' | 'send_uncompared' }
  | { readonly kind: 'make_room_for_journal' | 'name_saved_deliveries' | 'name_file_of_values' }
  | LogIn
  /** Read what the command of this run takes. */
  | { readonly kind: 'read_help' }
  /**
   * Arguments after `payctl`, without those that say where a command goes: the command line adds this run's. `<...>` is for
   * the reader to fill in, `...` stands for what was given before.
   */
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly words?: string }

/** Log in where this run went. `profile`: of the run, if left out; `flags` of `payctl login`. */
export interface LogIn {
  readonly kind: 'log_in'
  readonly profile?: string
  readonly flags?: readonly string[]
  readonly words?: string
}

/** Where a command goes, if not where this run went. */
interface Elsewhere {
  readonly profile?: string
  readonly baseUrl?: string
}

/** A command to type next. `words` are a clause that leads to it, or whole sentences. */
export const toRun = (command: readonly string[], words?: string): NextStep => ({
  kind: 'run',
  command,
  ...(words !== undefined && { words }),
})
