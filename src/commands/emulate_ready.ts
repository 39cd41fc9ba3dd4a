import type { Ready } from '../config/running_emulators.ts'
import { formatMoney } from '../contract/money.ts'
import { textWidth } from '../run/cell_lines.ts'

export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly balance: number
}

export interface Shown {
  readonly ready: Ready
  /** Whose accounts they are. */
  readonly owner: string
  readonly accounts: readonly SeededAccount[]
  /** Of an emulator that runs on without this payctl. */
  readonly log?: string
}

/** The lines that are printed when an emulator has started. */
export function readyBlock({ ready, owner, accounts, log }: Shown): readonly string[] {
  const { base_url, local_url, auth_url, host } = ready
  return [
    `payctl emulator ${ready.version}    ${base_url}    no real money`,
    ...(local_url === base_url ? [] : [`  Here        ${local_url}`]),
    ...(auth_url === base_url ? [] : [`  Auth URL    ${auth_url}`]),
    ...(/^(127\.|::1$)/.test(host) ? [] : [`  Listens on  ${host}, where other machines reach it`]),
    '',
    ...accountLines(owner, accounts),
    `  Token ${ready.token}    Client ${ready.client_id} / ${ready.client_secret}`,
    ...(log === undefined ? [] : [`  Log ${log}`]),
    '',
    `  ${log === undefined ? 'In another terminal' : 'Try                '}    payctl --emulator accounts list`,
    '  In a test              payctl emulate -- npm test',
    ...(log === undefined
      ? ['  Ctrl-C stops it.']
      : [`  It runs as process ${ready.pid}. Stop it: payctl emulator stop ${local_url}`]),
  ]
}

/** The accounts of one owner, by the ends of their ids. */
function accountLines(owner: string, accounts: readonly SeededAccount[]): readonly string[] {
  if (accounts.length === 0) return ['  No accounts yet: payctl --emulator accounts create --currency CRC']
  const balances = accounts.map(({ balance, currency }) => formatMoney(balance, currency))
  const width = Math.max(...balances.map(({ length }) => length))
  return accounts.map(({ id }, at) => {
    const name = at === 0 ? owner : ' '.repeat(textWidth(owner))
    return `  ${name}    ...${id.slice(-4)}   ${(balances[at] ?? '').padStart(width)}`
  })
}
