import type { Catalogue } from '../text.ts'

/**
 * Meanings of exit codes. They are in a separate file, because two chunks of the program print them: `payctl help
 * exit-codes` and `payctl explain`.
 */
export const exitCodes = {
  done: 'listo',
  'unexpected error, or emulator compare found a difference':
    'error inesperado, o emulator compare encontró una diferencia',
  'wrong usage or input, or a confirmation refused': 'uso o datos incorrectos, o no se confirmó',
  'not found': 'no se encontró',
  'no token, or an invalid or expired token': 'sin token, o token inválido o vencido',
  'the token lacks a scope or permission, or a limit of the profile forbids the action':
    'al token le falta un permiso, o un límite del perfil no permite la acción',
  'conflict with the current state': 'conflicto con el estado actual',
  "rejected by the service's validation (400, 422)": 'rechazado por la validación del servicio (400, 422)',
  'the payment was accepted and has ended without paying': 'el pago se aceptó y terminó sin pagarse',
  'the wait timed out; the payment is still in progress': 'se acabó la espera; el pago sigue en proceso',
  'outcome unknown: money may have moved': 'resultado desconocido: es posible que el dinero se haya movido',
  'rate limited': 'demasiadas solicitudes',
  'service unavailable or unreachable; nothing happened': 'el servicio no está disponible o no responde; no pasó nada',
} as const satisfies Catalogue
