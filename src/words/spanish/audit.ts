import type { Catalogue } from '../text.ts'

/** The audit file: what payctl was asked to do, and who agreed. */
export const audit = {
  event: 'evento',
  'decided by': 'se aceptó',
  what: 'qué pasó',
  asked: 'solicitado',
  outcome: 'resultado',
  loosened: 'ampliado',
  terminal: 'en la terminal',
  typed: 'por escrito',
  flag: 'sin preguntas',
  earlier: 'antes',
  accepted: 'aceptado',
  'No audit entries.': 'No hay registros de auditoría.',
  "1 line of the audit file can't be read.": 'No se puede leer 1 línea del archivo de auditoría.',
  "{} lines of the audit file can't be read.": 'No se pueden leer {} líneas del archivo de auditoría.',
  "The audit file {} can't be read: {}.": 'No se puede leer el archivo de auditoría {}: {}.',
  'Let this user read the file': 'Permita que este usuario lea el archivo',
} as const satisfies Catalogue

/** Results and changes of limits, as the audit file has saved them. */
export const auditPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^refused: (.+)$/s, 'rechazado: $1'],
  [/^not_sent: (.+)$/s, 'sin enviar: $1'],
  [/^unknown: (.+)$/s, 'sin confirmar: $1'],
  [/^(.+), ((?:per|confirm|read|hours|payees|live) .+ -> .+)$/s, '$1, $2'],
  [/^(per \w+|per payee day|confirm above) none -> (.+)$/, '$1 ninguno -> $2'],
  [/^(per \w+|per payee day|confirm above) (.+) -> none$/, '$1 $2 -> ninguno'],
  [/^(per payee day|per \w+|confirm above) (.+) -> (.+)$/, '$1 $2 -> $3'],
  [/^read only true -> none$/, 'solo consulta: ya no'],
  [/^live true -> none$/, 'dinero real: ya no'],
  [/^hours (.+) -> none$/, 'horario $1 -> ninguno'],
  [/^hours (.+) -> (.+)$/, 'horario $1 -> $2'],
  [/^payees (.+) -> none$/s, 'destinatarios $1 -> ninguno'],
  [/^payees (.+) -> (.+)$/s, 'destinatarios $1 -> $2'],
]
