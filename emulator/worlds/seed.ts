import {
  allScopes,
  buildIban,
  type Currency,
  type IbanStatus,
  type Outcome,
  type SeedFile,
} from '../../src/contract/index.ts'
import type { OAuthClientOption } from '../options.ts'
import { newSecret } from '../store/secret.ts'
import type { WorldAccess } from '../store/settings.ts'
import type { Store } from '../store/store.ts'

/** Well-known credentials of the demo world. They give access to nothing real. */
export const demo = {
  token: 'payctl-demo-token',
  clientId: 'payctl',
  clientSecret: 'payctl-demo-secret',
  user: { seq: 1, id: '01900000-0000-7000-8000-000000000001' },
  accounts: [
    { id: '01900000-0000-7000-8000-0000000000c1', currency: 'CRC', balance: 250_000_000 },
    { id: '01900000-0000-7000-8000-0000000000d1', currency: 'USD', balance: 1_000_000 },
  ],
  /** A second user, whom people can choose when they sign in; the well-known token belongs to the first user. */
  neighbour: {
    user: { seq: 2, id: '01900000-0000-7000-8000-000000000002' },
    account: { id: '01900000-0000-7000-8000-0000000000c2', currency: 'CRC', balance: 50_000_000 },
  },
} as const

/** Time of all seeded rows, fixed so that runs can be compared. */
export const seededAt = Date.UTC(2026, 0, 1, 12)

/**
 * Time of creation to store for a token. The next start would mistake a token created at exactly `seededAt` for the
 * emulator's own, and revoke it. The API shows whole seconds, so 1 ms changes no answer.
 */
export const tokenCreatedAt = (at: number): number => (at === seededAt ? seededAt + 1 : at)

const maria = {
  id: demo.user.id,
  name: 'María Fernández Rojas',
  email: 'maria.fernandez@example.com',
  phone: '88001234',
  document_number: '0112340567',
} as const

/** The OAuth client that every world has, without its secret. */
export const ownClient = {
  id: demo.clientId,
  name: 'payctl command line',
  redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
  scopes: allScopes,
  created_at: seededAt,
}

interface Secrets {
  readonly token: string
  readonly clientSecret: string
  readonly oauthClients: readonly OAuthClientOption[]
}

/**
 * Gives the seeded user a token with every scope and no expiry, gives the seeded client its secret, and adds the
 * clients of the options. Revokes tokens and secrets of earlier starts.
 */
export function setSecrets(store: Store, { token, clientSecret, oauthClients }: Secrets, now: number): void {
  revokeAllBut(token, store, now)
  store.clients.setSecret(demo.clientId, clientSecret)
  for (const { id, name = id, secret = null, redirectUris: redirect_uris, scopes = allScopes } of oauthClients) {
    store.clients.put({ id, name, secret, redirect_uris, scopes, created_at: seededAt })
  }
}

/** Gives a world its own token and OAuth client in place of the token and client that all worlds have. */
export function setAccess(store: Store, access: WorldAccess, now: number): void {
  const { token, client_id: id, client_secret: secret } = access
  store.settings.set('access', access)
  revokeAllBut(token, store, now)
  store.clients.setSecret(demo.clientId, newSecret())
  store.clients.put({ ...ownClient, id, secret })
}

/** Revokes the tokens of earlier starts and adds this token; tokens that were issued after a start stay valid. */
function revokeAllBut(token: string, { tokens }: Store, now: number): void {
  tokens.revokeMade(seededAt, now)
  tokens.put({ secret: token, user: demo.user.seq, scopes: allScopes, expires_at: null, created_at: seededAt })
}

/** Sender of a credit from another bank, if the caller names none. */
export const unknownSender = {
  iban: buildIban('151', '00190000000001'),
  name: 'Remitente de Prueba',
  document_number: '0101119999',
  document_type: 0,
} as const

interface Holder {
  readonly name: string
  readonly document: string
  readonly type: number
  readonly entity: string
  readonly currency?: Currency
  readonly outcome?: Outcome
  readonly state_code?: string
  readonly error?: string
  readonly status?: IbanStatus
}

/** A holder to whom all payments fail with one state code. */
const failing = (name: string, document: string, state_code: string): Holder => ({
  name,
  document,
  type: 0,
  entity: '161',
  outcome: 'failed',
  state_code,
})

/**
 * Demo people and companies at other banks. The last digits of a holder's account and phone are the holder's position
 * in the list, so add new holders at the end.
 */
const holders: readonly Holder[] = [
  { name: 'Carlos Jiménez Mora', document: '0304930258', type: 0, entity: '151' },
  { name: 'Ana Lucía Vargas Solano', document: '0205670891', type: 0, entity: '152' },
  { name: 'Ferretería El Roble S.A.', document: '3101234567', type: 3, entity: '102' },
  { name: 'John Andrew Smith', document: '155812345678', type: 1, entity: '104' },
  { name: 'Pacific Imports LLC', document: '3102987654', type: 3, entity: '102', currency: 'USD' },
  failing('Rechazo Siempre', '0101110001', 'rejected'),
  { name: 'Tiempo Agotado', document: '0101110002', type: 0, entity: '161', outcome: 'timeout' },
  { name: 'Riel No Disponible', document: '0101110003', type: 0, entity: '161', outcome: 'service_unavailable' },
  { name: 'Datos Inválidos', document: '0101110004', type: 0, entity: '161', outcome: 'validation_failed' },
  { name: 'Error de Sistema', document: '0101110005', type: 0, entity: '161', outcome: 'system_error' },
  { name: 'Siempre en Proceso', document: '0101110006', type: 0, entity: '161', outcome: 'processing' },
  { name: 'Pago Lento', document: '0101110007', type: 0, entity: '161', outcome: 'slow' },
  failing('Cuenta Cerrada', '0101110008', 'account_closed'),
  failing('Cuenta Bloqueada', '0101110009', 'account_blocked'),
  failing('Entidad Sin Fondos', '0101110010', 'insufficient_funds'),
  failing('Límite Excedido', '0101110011', 'limit_exceeded'),
  failing('Otra Moneda', '0101110012', 'currency_mismatch'),
  { ...failing('Dollar Refusals LLC', '3102000001', 'rejected'), type: 3, currency: 'USD' },
  { name: 'Costo por Definir', document: '0101110013', type: 0, entity: '161', outcome: 'fee_unknown' },
  // The failure that is usual at real services: the generic code, with the reason as text.
  { ...failing('Cerrada Sin Código', '0101110014', 'rejected'), error: 'Destination account closed', status: 'closed' },
]

/** Each holder has an IBAN; holders with an account in CRC also have a phone. */
const demoRegistry: NonNullable<SeedFile['registry']> = holders.flatMap((holder, index) => {
  const { document, type, entity, currency = 'CRC', outcome = 'completed', ...others } = holder
  const entry = { document_number: document, document_type: type, currency, outcome, ...others }
  const number = String(index + 1)
  const iban = { ...entry, iban: buildIban(entity, `00100000000${number.padStart(3, '0')}`) }
  if (currency !== 'CRC') return [iban]
  return [iban, { ...entry, entity, phone: `8700${number.padStart(4, '0')}` }]
})

/** A seed with one user and no accounts. */
export const emptySeed: SeedFile = { users: [maria] }

/** A seed with two users, their funded accounts, and a registry of customers of other banks. */
export const demoSeed: SeedFile = {
  users: [
    maria,
    {
      id: demo.neighbour.user.id,
      name: 'Laura Quesada Brenes',
      email: 'laura.quesada@example.com',
      phone: '88005678',
      document_number: '0207650432',
    },
  ],
  accounts: [
    ...demo.accounts.map((account) => ({ ...account, user: demo.user.id })),
    { ...demo.neighbour.account, user: demo.neighbour.user.id },
  ],
  registry: demoRegistry,
}
