import type { Catalogue } from '../text.ts'

/** Limits of a profile, and the payments that they forbid. */
export const limits = {
  '{}. Nothing was sent.': '{}. No se envió nada.',
  'The limits of profile {} allow reading only': 'Los límites del perfil {} solo permiten consultar',
  'The limits of profile {} do not allow the payee {}': 'Los límites del perfil {} no permiten pagar a {}',
  'The limits of profile {} allow payments only from {} to {}, Costa Rica time (UTC-6)':
    'Los límites del perfil {} solo permiten pagos de {} a {}, hora de Costa Rica (UTC-6)',
  "The limits of profile {} allow payments in {} only, and the account's currency could not be read":
    'Los límites del perfil {} permiten pagos solo en {}, y no se pudo consultar la moneda de la cuenta',
  'Check the account. If it is yours, use a token with the scope read-accounts, or set limits in the other currency too':
    'Revise la cuenta. Si es suya, use un token con el alcance read-accounts, o fije límites también en la otra moneda',
  'The limits of profile {} allow payments in {} only, not in {}':
    'Los límites del perfil {} solo permiten pagos en {}, no en {}',
  '{} and {}': '{} y {}',
  'The limits of profile {} allow {} {}': 'Los límites del perfil {} permiten {} {}',
  'for one payment': 'por pago',
  'a day': 'por día',
  'a day to one payee': 'por día a un mismo destinatario',
  '{}, and this payment is {}': '{}, y este pago es de {}',
  '{}: {} is used, {} left until {}': '{}: ya se usaron {} y quedan {} hasta el {}',
  '{} 00:00 (UTC-6), in {} h {} min': '{} 00:00 (UTC-6), dentro de {} h {} min',
  'Profile {} is live, and {} is an amount that a person must type. Nothing was sent.':
    'El perfil {} mueve dinero real, y un monto de {} lo debe escribir una persona. No se envió nada.',
  'Profile {} had limits, but {} no longer contains them. Nothing was sent.':
    'El perfil {} tenía límites, pero {} ya no los contiene. No se envió nada.',
  "The limits of profile {} are not counted in this run's payment journal but in another, so the amount used today is not known. Nothing was sent.":
    'Los límites del perfil {} se cuentan en otro registro de pagos, así que no se sabe cuánto se ha usado hoy. No se envió nada.',
  'The idempotency key {} has been used for another payment. Nothing was sent.':
    'La clave de idempotencia {} ya se usó para otro pago. No se envió nada.',

  // The table of limits
  profile: 'perfil',
  limit: 'límite',
  most: 'máximo',
  used: 'usado',
  left: 'disponible',
  payee: 'destinatario',
  payees: 'destinatarios',
  'payee name': 'nombre del destinatario',
  'frees at': 'se libera',
  allowed: 'permitido',
  'one payment': 'por pago',
  'a day, one payee': 'por día, un destinatario',
  'typed above': 'se escribe si supera',
  'read-only': 'solo consulta',
  live: 'dinero real',
  'hours {}': 'horario {}',
  'real money moves here': 'aquí se mueve dinero real',
  'reading only': 'solo se puede consultar',
  none: 'ninguno',
  'No limits.': 'No hay límites.',
  'Set some': 'Para definirlos',

  // Changes of limits
  'No limit is given.': 'No se indicó ningún límite.',
  'For example': 'Por ejemplo',
  'Several currencies are named.': 'Se indicaron varias monedas.',
  'Write each currency with its amount: --per-day "2000000 CRC"':
    'Escriba cada moneda con su monto: --per-day "2000000 CRC"',
  '{} has no currency.': '{} no tiene moneda.',
  'Write it like {} "{} CRC"': 'Escríbalo así: {} "{} CRC"',
  '{} names two currencies.': '{} tiene dos monedas.',
  'Give one': 'Indique una',
  'The user of this profile is not known, so the limits apply to all users of its service.':
    'No se conoce el usuario de este perfil, así que los límites rigen para todos los usuarios del mismo servicio.',
  'Profile {} has no limits.': 'El perfil {} no tiene límites.',
  'No profile has limits, so there is nothing to count.':
    'Ningún perfil tiene límites, así que no hay nada que contar.',
  'payctl asks a person to type amounts only if the profile is marked live':
    'payctl pide escribir montos solo si el perfil está marcado como de dinero real',
  'This change is in the audit file': 'Este cambio está en el archivo de auditoría',
  'Another process has changed the limits in the meantime. This command changed nothing.':
    'Otro proceso cambió los límites mientras tanto. Este comando no cambió nada.',

  // Looser limits
  'This loosens the limits of profile {}: {}': 'Esto amplía los límites del perfil {}: {}',
  'Type {} to continue:': 'Para continuar, escriba {}:',
  'This would loosen the limits of profile {}, which only a person at a terminal can do. Nothing was changed.':
    'Esto ampliaría los límites del perfil {}, y eso solo lo puede hacer una persona en una terminal. No se cambió nada.',
  'Run the command at a terminal, without --no-input': 'Ejecute el comando en una terminal, sin --no-input',
  'the file of the limits was lost': 'se perdió el archivo de límites',
  'all limits are removed': 'se quitan todos los límites',
  'today’s use counts from zero': 'lo usado hoy se cuenta desde cero',
  'per payment': 'por pago',
  'per day': 'por día',
  'per payee day': 'por día a un mismo destinatario',
  'confirm above': 'se escribe si supera',
  'read only': 'solo consulta',
  hours: 'horario',
} as const satisfies Catalogue

/** Refusals by a limit, as the journal has saved them. */
export const limitPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^(\S+) 00:00 \(UTC-6\), in (\d+) h (\d+) min$/, '$1 00:00 (UTC-6), dentro de $2 h $3 min'],
  [/^(The limits of profile .+), and this (?:payment )?is (\S+ \w{3})$/, '$1, y este pago es de $2'],
  [
    /^The limits of profile (\S+) allow (\S+ \w{3}) (for one payment|a day|a day to one payee)$/,
    'Los límites del perfil $1 permiten $2 $3',
  ],
]
