import type { Catalogue } from '../text.ts'
import { exitCodes } from './exit_codes.ts'

/** `payctl explain`: kinds of codes and values, and what they mean. */
export const explain = {
  value: 'valor',
  column: 'columna',
  meaning: 'significado',
  next: 'siguiente paso',
  'exit code': 'código de salida',
  'HTTP status': 'estado HTTP',
  'intent status': 'estado del intento',
  'state code': 'código de estado',
  'OAuth scope': 'permiso OAuth',
  ...exitCodes,

  // HTTP statuses
  'invalid request parameters, or X-Idempotency-Key missing on a payment endpoint':
    'datos de la solicitud no válidos, o falta X-Idempotency-Key en una solicitud de pago',
  'authentication invalid or missing': 'token ausente o no válido',
  'insufficient permissions': 'permisos insuficientes',
  'resource not found': 'no existe lo que se pidió',
  'method not allowed on this path': 'esa ruta no admite el método',
  'conflict with the state of the resource': 'conflicto con el estado actual de lo que se pidió',
  'the world of an emulator has ended': 'el mundo del emulador terminó',
  'request body too large': 'la solicitud es demasiado grande',
  'media type not supported': 'el servicio no admite ese tipo de contenido',
  'host name of another server, world of another shard, or world that has moved':
    'el nombre o el mundo es de otro servidor, o el mundo se trasladó',
  'validation failure': 'los datos no son válidos',
  'too many requests': 'demasiadas solicitudes',
  'server error': 'error del servidor',
  'temporarily unavailable': 'no disponible por el momento',

  // Statuses of payments and intents
  'in progress: the payment may still complete or fail; an emulator holds the money until then':
    'en proceso: todavía puede completarse o fallar; un emulador retiene el dinero hasta entonces',
  'ended: the payee has the money': 'terminó: el destinatario tiene el dinero',
  'ended without paying; the payment’s error_message says why. An emulator took no money, or returned it; for another service this is not known: check the balance':
    'terminó sin pagarse; el motivo está en error_message. En un emulador no se debitó nada, o el dinero ya volvió; en otro servicio no se sabe: consulte el saldo',
  'recorded on this machine; the service has not accepted the payment':
    'registrado en este equipo; el servicio no ha aceptado el pago',
  'the request may have been sent, but no answer is recorded':
    'es posible que la solicitud se haya enviado, pero no hay una respuesta registrada',
  'the answer was lost; money may have moved': 'la respuesta se perdió; es posible que el dinero se haya movido',
  'the service has the payment; the payment’s own status shows the progress':
    'el servicio tiene el pago; el estado del pago indica cómo va',
  'the service refused the payment; no money moved': 'el servicio rechazó el pago; no se movió dinero',

  // Events, state codes, scopes, rails
  'A payment was accepted': 'Se aceptó un pago',
  'A payment was handed to its rail': 'Un pago se entregó al canal',
  'A payment arrived': 'Un pago se acreditó',
  'A payment was rejected by its rail': 'El canal rechazó un pago',
  'Money arrived from another bank, or from another account of the service':
    'Llegó dinero de otro banco, o de otra cuenta del servicio',
  'reason why a rail rejected a payment: {}': 'motivo por el que el canal rechazó un pago: {}',
  'grants {}': 'permite {}',
  'basic profile information': 'ver los datos básicos del usuario',
  'account information, balances, transfers': 'ver cuentas, saldos y movimientos',
  'creating accounts': 'abrir cuentas',
  'creating and validating payments, viewing payment history and status':
    'enviar y validar pagos, y ver el historial y el estado de los pagos',
  'managing webhook subscriptions': 'administrar suscripciones de webhooks',
  'pays to an IBAN, in CRC or USD': 'paga a una cuenta IBAN, en CRC o USD',
  'SINPE Móvil: pays to a mobile phone, in CRC': 'SINPE Móvil: paga a un teléfono, en CRC',

  // Values
  'looks like {}': 'parece {}',
  '{} ({}), account {}; its check digits are right': '{} ({}), cuenta {}; sus dígitos verificadores son correctos',
  'a typing error: its check digits are {}, but the other digits give {}':
    'tiene un error de digitación: sus dígitos verificadores son {}, pero los demás dígitos dan {}',
  '{}; an IBAN of Costa Rica is CR and 20 digits': '{}; una de Costa Rica tiene CR y 20 dígitos',
  '{}; a phone number of Costa Rica has 8 digits': '{}; uno de Costa Rica tiene 8 dígitos',
  'a phone number of Costa Rica, {}; it can receive payments if it is registered in SINPE Móvil':
    'un teléfono de Costa Rica, {}; recibe pagos por SINPE Móvil si está registrado',
  "the service's reference of a payment on {} by {}": 'referencia del servicio para un pago del {} por {}',
  'reference of a payment on {} by {}, from {}': 'referencia de un pago del {} por {}, de {}',
  'reference of a payment on {}, from {}': 'referencia de un pago del {}, de {}',
  'If it is the id of a payment': 'Si es el identificador de un pago',
  '{} is not a code, status, event, IBAN, phone or reference that payctl knows.':
    '{} no es un código, estado, evento, cuenta IBAN, teléfono ni referencia que payctl conozca.',
  'List the exit codes': 'Para ver los códigos de salida',
} as const satisfies Catalogue

/** Values within a meaning: entities whose names payctl does not know, and reasons for a rejection. */
export const explainPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^Entity (\d{3})$/, 'la entidad $1'],
  [/^the payment was rejected by the destination entity$/, 'la entidad de destino rechazó el pago'],
  [/^the destination account is closed$/, 'la cuenta de destino está cerrada'],
  [/^the destination account is blocked$/, 'la cuenta de destino está bloqueada'],
  [
    /^the source entity has insufficient funds for the payment$/,
    'la entidad de origen no tiene fondos suficientes para el pago',
  ],
  [
    /^the payment is outside the limits of the destination account$/,
    'el pago está fuera de los límites de la cuenta de destino',
  ],
  [/^the destination account is in another currency$/, 'la cuenta de destino está en otra moneda'],
]
