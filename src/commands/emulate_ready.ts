import type { Ready } from '../config/running_emulators.ts'
import { formatMoney } from '../contract/money.ts'

export interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly balance: number
}

export interface Shown {
  readonly ready: Ready
  readonly accounts: readonly SeededAccount[]
  /** Of an emulator that runs on without this payctl. */
  readonly log?: string
}

/** The lines that are printed when an emulator has started. */
export function readyBlock({ ready, accounts, log }: Shown): readonly string[] {
  const stop = log === undefined ? 'Ctrl-C stops it.' : `It runs as process ${ready.pid}.`
  return [
    `payctl emulator ${ready.version} is ready. ${stop}`,
    '',
    `  Base URL       ${ready.base_url}`,
    ...(ready.local_url === ready.base_url ? [] : [`  Here           ${ready.local_url}`]),
    ...(/^(127\.|::1$)/.test(ready.host) ? [] : [`  Listens on     ${ready.host}, where other machines reach it`]),
    `  Auth URL       ${ready.auth_url}`,
    `  Token          ${ready.token}`,
    `  Client id      ${ready.client_id}`,
    `  Client secret  ${ready.client_secret}`,
    ...(log === undefined ? [] : [`  Log            ${log}`]),
    '',
    ...accountLines(accounts),
    log === undefined ? 'Try in another terminal:' : 'Try:',
    '  payctl --emulator accounts list',
    ...(log === undefined ? [] : ['Stop it:', `  payctl emulator stop ${ready.local_url}`]),
  ]
}

function accountLines(accounts: readonly SeededAccount[]): readonly string[] {
  if (accounts.length === 0) return ['  No accounts yet: payctl --emulator accounts create --currency CRC', '']
  const balances = accounts.map(({ balance, currency }) => formatMoney(balance, currency))
  const width = Math.max(...balances.map((text) => text.length))
  return [
    `  ${'ACCOUNT'.padEnd(36)}  ${'IBAN'.padEnd(22)}  ${'BALANCE'.padStart(width)}`,
    ...accounts.map(({ id, iban }, at) => `  ${id}  ${iban}  ${(balances[at] ?? '').padStart(width)}`),
    '',
  ]
}
