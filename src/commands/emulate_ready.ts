import type { Ready } from '../config/running_emulators.ts'
import { formatMoney } from '../contract/money.ts'

interface SeededAccount {
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly balance: number
}

/** The lines that are printed when an emulator has started. */
export function readyBlock(ready: Ready, accounts: readonly SeededAccount[]): readonly string[] {
  return [
    `payctl emulator ${ready.version} is ready. Ctrl-C stops it.`,
    '',
    `  Base URL       ${ready.base_url}`,
    ...(/^(127\.|::1$)/.test(ready.host) ? [] : [`  Listens on     ${ready.host}, where other machines reach it`]),
    `  Auth URL       ${ready.auth_url}`,
    `  Token          ${ready.token}`,
    `  Client id      ${ready.client_id}`,
    `  Client secret  ${ready.client_secret}`,
    '',
    ...accountLines(accounts),
    'Try in another terminal:',
    '  payctl --emulator accounts list',
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
