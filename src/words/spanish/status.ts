import type { Catalogue } from '../text.ts'

/** The state of a user: accounts, balances, payments in progress. */
export const status = {
  Accounts: 'Cuentas',
  Account: 'Cuenta',
  'Under way': 'En proceso',
  'Not sent': 'Sin enviar',
  Limit: 'Límite',
  'this token is not allowed to read payments': 'este token no permite consultar pagos',
  'this token is not allowed to read accounts': 'este token no permite consultarlas',
  'none on this machine': 'ninguno en este equipo',
  'not known   {}': 'no se conoce   {}',
  '{} among the newest {}': '{} entre los {} más recientes',
  '{} of {} left today ({})': 'hoy quedan {} de {} ({})',
  '{} of {} left today for {} ({})': 'hoy quedan {} de {} para {} ({})',
  '1 more account.': 'Hay 1 cuenta más.',
  '{} more accounts.': 'Hay {} cuentas más.',
  'To see them': 'Para verlas',
  '{} may have been made.': (payments) =>
    payments === '1 pago' ? 'Es posible que 1 pago se haya hecho.' : `Es posible que ${payments} se hayan hecho.`,
  'To find out': 'Para averiguarlo',

  // Accounts
  'No accounts.': 'No hay cuentas.',
  'Open one': 'Para abrir una',
  'Currency of the new account:': 'Moneda de la cuenta nueva:',
  'Add --currency CRC, or --currency USD': 'Agregue --currency CRC, o --currency USD',
  'owner name': 'titular',
  balance: 'saldo',
  'document type': 'tipo de documento',
  "missing required argument 'account'.": 'Falta la cuenta.',
  balances: 'saldos',
  'under way': 'en proceso',
  true: 'sí',
  false: 'no',
  online: 'en línea',
  offline: 'fuera de línea',
  partial: 'parcialmente en línea',
} as const satisfies Catalogue
