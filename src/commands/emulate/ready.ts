import { hintOf } from '../../cli/next_step.ts'
import type { Ready } from '../../config/running_emulators.ts'
import { formatMoney } from '../../contract/money.ts'
import { shellWords } from '../../errors/advice.ts'
import { toRun } from '../../errors/next_step.ts'
import { textWidth } from '../../run/cell_lines.ts'

export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly balance: number
}

export interface Shown {
  readonly ready: Ready
  /** Name of the user who owns the accounts. */
  readonly owner: string
  readonly accounts: readonly SeededAccount[]
  /** Path of the log of a detached emulator. */
  readonly log?: string
}

/** The lines that are printed when an emulator has started. */
export function readyBlock({ ready, owner, accounts, log }: Shown): readonly string[] {
  const { base_url, local_url, auth_url, host, name } = ready
  const here = (...command: readonly string[]) =>
    shellWords(['payctl', name === undefined ? '--emulator' : `--emulator=${name}`, ...command])
  return [
    `payctl emulator ${ready.version}    ${base_url}    no real money`,
    ...(local_url === base_url ? [] : [`  Here        ${local_url}`]),
    ...(auth_url === base_url ? [] : [`  Auth URL    ${auth_url}`]),
    ...(/^(127\.|::1$)/.test(host) ? [] : [`  Listens on  ${host}, where other machines reach it`]),
    '',
    ...(accounts.length > 0
      ? accountLines(owner, accounts)
      : [`  No accounts yet: ${here('accounts', 'create', '--currency', 'CRC')}`]),
    `  Token ${ready.token}    Client ${ready.client_id} / ${ready.client_secret}`,
    ...(log === undefined ? [] : [`  Log ${log}`]),
    '',
    `  ${log === undefined ? 'In another terminal' : 'Try                '}    ${here('accounts', 'list')}`,
    `  Page                   ${local_url}/_emulator/`,
    `  In a test              ${hintOf(toRun(['emulate', '--', 'npm', 'test']), {})}`,
    ...(log === undefined
      ? ['  Ctrl-C stops it.']
      : [
          `  It runs as process ${ready.pid}. ${hintOf(toRun(['emulator', 'stop', name ?? local_url], 'Stop it'), {})}`,
        ]),
  ]
}

/** A line for each account of one owner, with the end of the account's id. */
function accountLines(owner: string, accounts: readonly SeededAccount[]): readonly string[] {
  const balances = accounts.map(({ balance, currency }) => formatMoney(balance, currency))
  const width = Math.max(...balances.map(({ length }) => length))
  return accounts.map(({ id }, at) => {
    const name = at === 0 ? owner : ' '.repeat(textWidth(owner))
    return `  ${name}    ...${id.slice(-4)}   ${(balances[at] ?? '').padStart(width)}`
  })
}
