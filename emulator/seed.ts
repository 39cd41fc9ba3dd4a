import type { Database as Connection } from 'better-sqlite3'
import { allScopes, buildIban, type Currency } from '../src/contract/index.ts'
import type { Outcome } from './domain/payment.ts'
import type { RegistryEntry } from './store/registry.ts'
import { type Store, storeIn } from './store/store.ts'

/** Well-known credentials of the demo world, as with other emulators: they open nothing that is real. */
export const demo = {
  token: 'payctl-demo-token',
  clientId: 'payctl',
  clientSecret: 'payctl-demo-secret',
  user: { seq: 1, id: '01900000-0000-7000-8000-000000000001' },
  accounts: [
    { id: '01900000-0000-7000-8000-0000000000c1', currency: 'CRC', balance: 250_000_000 },
    { id: '01900000-0000-7000-8000-0000000000d1', currency: 'USD', balance: 1_000_000 },
  ],
} as const

/** The demo world begins at the same moment everywhere, so that runs can be compared. */
const beginning = Date.UTC(2026, 0, 1, 12)

/** Fills a new sandbox: one user, and for `demo` two funded accounts and a registry of other banks' customers. */
export function fill(connection: Connection, seed: 'demo' | 'empty'): void {
  const store = storeIn(connection)
  store.users.add({
    ...demo.user,
    name: 'María Fernández Rojas',
    email: 'maria.fernandez@example.com',
    email_verified_at: beginning,
    phone: '88001234',
    document_number: '0112340567',
    document_type: 0,
    created_at: beginning,
    updated_at: beginning,
  })
  if (seed === 'empty') return
  for (const account of demo.accounts) openFunded(store, account)
  for (const entry of demoRegistry) store.registry.add(entry)
}

/** Gives the seeded user a token with every scope that never expires. */
export function grantToken(store: Store, secret: string): void {
  store.tokens.put({
    secret,
    user: demo.user.seq,
    scopes: allScopes,
    expires_at: null,
    created_at: beginning,
  })
}

function openFunded(store: Store, account: { id: string; currency: Currency; balance: number }): void {
  const { id, currency, balance } = account
  store.accounts.add({ id, user: demo.user.seq, currency, created_at: beginning })
  store.ledger.book({
    paymentSeq: null,
    movement: 'funding',
    entries: [
      { account: store.ledger.account('emulator', 'funding', currency), amount: -balance },
      { account: store.ledger.account(id, 'available', currency), amount: balance },
    ],
    at: beginning,
  })
}

interface Holder {
  readonly name: string
  readonly document: string
  readonly type: number
  readonly entity: string
  readonly currency?: Currency
  readonly outcome?: Outcome
}

/** People and companies at other banks. The number is the account's last digits, and the phone's. */
const holders: readonly Holder[] = [
  { name: 'Carlos Jiménez Mora', document: '0304930258', type: 0, entity: '151' },
  { name: 'Ana Lucía Vargas Solano', document: '0205670891', type: 0, entity: '152' },
  { name: 'Ferretería El Roble S.A.', document: '3101234567', type: 3, entity: '102' },
  { name: 'John Andrew Smith', document: '155812345678', type: 1, entity: '104' },
  { name: 'Pacific Imports LLC', document: '3102987654', type: 3, entity: '102', currency: 'USD' },
  { name: 'Rechazo Siempre', document: '0101110001', type: 0, entity: '161', outcome: 'failed' },
  { name: 'Tiempo Agotado', document: '0101110002', type: 0, entity: '161', outcome: 'timeout' },
  { name: 'Riel No Disponible', document: '0101110003', type: 0, entity: '161', outcome: 'service_unavailable' },
  { name: 'Datos Inválidos', document: '0101110004', type: 0, entity: '161', outcome: 'validation_failed' },
  { name: 'Error de Sistema', document: '0101110005', type: 0, entity: '161', outcome: 'system_error' },
  { name: 'Siempre en Proceso', document: '0101110006', type: 0, entity: '161', outcome: 'processing' },
  { name: 'Pago Lento', document: '0101110007', type: 0, entity: '161', outcome: 'slow' },
]

/** Each holder has an IBAN, and with an account in CRC a phone as well. */
export const demoRegistry: readonly RegistryEntry[] = holders.flatMap((holder, index) => {
  const { name, document, type, entity, currency = 'CRC', outcome = 'completed' } = holder
  const entry = { name, document_number: document, document_type: type, currency, entity, outcome }
  const number = String(index + 1)
  const iban = { ...entry, address: buildIban(entity, `00100000000${number.padStart(3, '0')}`) }
  if (currency !== 'CRC') return [iban]
  return [iban, { ...entry, address: `8700${number.padStart(4, '0')}` }]
})
