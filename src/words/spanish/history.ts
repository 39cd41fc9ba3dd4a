import type { Catalogue } from '../text.ts'

/** Lists of payments: filters, searches, sums, and new payments as they arrive. */
export const history = {
  'No payments.': 'No hay pagos.',
  '1 payment.': '1 pago.',
  '{} payments.': '{} pagos.',
  '{} payments. More: --all': '{} pagos. Para ver más: --all',
  'No payments match. Payments read: {}.': 'Ningún pago coincide. Pagos revisados: {}.',
  'Matches until --limit: {}. Payments read: {}.': 'Coincidencias hasta --limit: {}. Pagos revisados: {}.',
  '{} payments matches.': '{} pagos coincide.',
  '{} payments match.': '{} pagos coinciden.',
  '1 payment matches. Payments read: {}.': '1 pago coincide. Pagos revisados: {}.',
  '{} payments match. Payments read: {}.': '{} pagos coinciden. Pagos revisados: {}.',
  'The whole history was read ({}), because the service does not know these filters. To read less: --since <when>':
    'Se revisó todo el historial ({}), porque el servicio no tiene estos filtros. Para revisar menos: --since <fecha>',
  'The whole history was read ({}), because the service does not list the newest payments first.':
    'Se revisó todo el historial ({}), porque el servicio no muestra primero los pagos más nuevos.',
  '1 matches': '1 coincide',
  '{} match': '{} coinciden',
  'Until {}.': 'Hasta el {}.',
  'Since {}.': 'Desde el {}.',
  'From {} until {}.': 'Desde el {} hasta el {}.',
  '1 other payment may be of this account: the service does not name its account.':
    '1 pago más puede ser de esta cuenta: el servicio no indica de qué cuenta es.',
  '{} other payments may be of this account: the service does not name their accounts.':
    '{} pagos más pueden ser de esta cuenta: el servicio no indica de qué cuenta son.',
  '{} is the saved payee {}.': '{} es el destinatario guardado {}.',

  // Sums
  'out {}': 'salidas {}',
  'out {} ({} on its way)': 'salidas {} ({} en camino)',
  'fees {}': 'comisiones {}',
  'in {}': 'entradas {}',
  '{}, without {} that did not arrive': (sums, count) =>
    count === '1' ? `${sums}, sin contar 1 pago que no llegó` : `${sums}, sin contar ${count} pagos que no llegaron`,
  'It is not known whether money was taken for {}.': 'No se sabe si se debitó dinero por {}.',
  'the payment that failed': 'el pago que falló',
  'the {} payments that failed': 'los {} pagos que fallaron',
  'See the balance': 'Consulte el saldo',

  // Flags
  '--limit 0 leaves nothing to list.': 'Con --limit 0 no queda nada que mostrar.',
  'With --follow, --limit 0 lists only new payments': 'Con --follow, --limit 0 muestra solo los pagos nuevos',
  '--follow begins with {} payments at most.': '--follow empieza con {} pagos como máximo.',
  'List older payments without --follow': 'Para ver pagos anteriores, quite --follow',
  '--page and --envelope show one page of the service’s list, and the service can’t filter by {}: matching payments can be on any page.':
    '--page y --envelope se refieren a una página del servicio, y el servicio no filtra por {}: los pagos buscados pueden estar en cualquier página.',
  'Leave --page and --envelope out; --limit <n> ends sooner.': 'Quite --page y --envelope; --limit <n> termina antes.',
  '--follow has no end, so it can’t print one JSON document.':
    '--follow no termina, así que no puede mostrar un solo documento JSON.',
  'Print one document per line: --output ndjson': 'Muestre un documento por línea: --output ndjson',
  '--since is not before --until, so nothing can match.': '--since no es anterior a --until, así que nada coincide.',
  'Exchange the two': 'Intercámbielos',
  'The service filters by document: --document <number>': 'El servicio filtra por documento: --document <número>',
  'The service does not report the phone of a payer.': 'El servicio no indica el teléfono de quien paga.',
  'Give an IBAN, or part of the name.': 'Indique una cuenta IBAN, o una parte del nombre.',
  '--amount names two currencies.': '--amount tiene dos monedas.',
  'Amounts are compared within one currency: 100..200 USD': 'Los montos se comparan en una sola moneda: 100..200 USD',
  '--amount begins with the larger amount.': '--amount empieza con el monto mayor.',
  'Write the smaller amount first: 100..200': 'Escriba primero el monto menor: 100..200',

  // Searches
  'Nothing to look for.': 'No hay nada que buscar.',
  'Say what you know about the payment': 'Indique algo que sepa del pago',
  '1 payment found': '1 pago encontrado',
  '{} payments found': '{} pagos encontrados',
  '{} by {}': '{} por {}',
  key: 'clave',
  'part of the id': 'parte del id',
  IBAN: 'cuenta IBAN',
  phone: 'teléfono',
  document: 'documento',
  date: 'fecha',
  'name or description': 'nombre o detalle',
  'part of a batch name': 'parte del nombre de un lote',
  'Found {}. {}': (found, searched) =>
    `Se ${/^1 [^,]*$/.test(found) ? 'encontró' : 'encontraron'} ${found}. ${searched}`,
  "No payment matches '{}'. {}": "Ningún pago coincide con '{}'. {}",
  'Search the whole history': 'Para buscar en todo el historial',
  "'{}' can't be read as a date.": "'{}' no se puede leer como una fecha.",
  'Searched without the journal of this machine: {}': 'Se buscó sin el registro de pagos de este equipo: {}',
  'the journal of this machine (1 intent)': 'el registro de pagos de este equipo (1 intento de pago)',
  'the journal of this machine ({} intents)': 'el registro de pagos de este equipo ({} intentos de pago)',
  '{} of the history': '{} del historial',
  '{} of {} of the history': '{} de {} del historial',
  'Searched: {}; not the history.': 'Se buscó en {}, no en el historial.',
  'Searched: {}, {}.': 'Se buscó en {} y en {}.',
  'Searched: {}, {}, back to that day.': 'Se buscó en {} y en {}, desde ese día.',
  'Searched: {}, {}, back to two weeks before the day in the reference.':
    'Se buscó en {} y en {}, desde dos semanas antes de la fecha de la referencia.',
  '{} of this machine matches and is in doubt': 'El intento de pago {} de este equipo coincide y está sin confirmar',
  '{} of this machine matches, is {}, and has no payment.':
    'El intento de pago {} de este equipo coincide, tiene el estado «{}» y no tiene ningún pago.',
  '{} of this machine matches, is {} ({}), and has no payment.':
    'El intento de pago {} de este equipo coincide, tiene el estado «{}» ({}) y no tiene ningún pago.',

  // New payments, as they arrive
  'Looking again in {} s.': 'Se consulta otra vez en {} s.',
  'Following again.': 'Se vuelven a mostrar los pagos nuevos.',
  'The history could not be read: {}': 'No se pudo consultar el historial: {}',
  'This service does not list the newest payments first, so new payments cannot be recognised on its first page.':
    'Este servicio no muestra primero los pagos más nuevos, así que los nuevos no se reconocen en su primera página.',

  // Worlds of an emulator that are gone
  'Payment {} was sent to an earlier world of this emulator, and is gone with that world: the emulator was reset or replaced.':
    'El pago {} se envió en un mundo anterior de este emulador y desapareció con ese mundo: el emulador se reinició o se reemplazó.',
  'This world of the emulator is new: 1 payment was sent from here to an earlier world, and is gone with that world.':
    'Este mundo del emulador es nuevo: desde aquí se envió 1 pago en un mundo anterior, y desapareció con ese mundo.',
  'This world of the emulator is new: {} payments were sent from here to an earlier world, and are gone with that world.':
    'Este mundo del emulador es nuevo: desde aquí se enviaron {} pagos en un mundo anterior, y desaparecieron con ese mundo.',
  'You have sent no payment yet.': 'Usted todavía no ha enviado ningún pago.',
  'You have sent no payment yet. {}': 'Usted todavía no ha enviado ningún pago. {}',
  'Nothing was sent from here by {} at {}.': 'Desde este equipo, {} no ha enviado nada a {}.',

  // Receipts
  '--html - and --output {} both go to stdout.': '--html - y --output {} usan la misma salida.',
  'Name a file: --html receipt.html': 'Indique un archivo: --html receipt.html',
  'Written: {}': 'Se escribió {}',

  // Columns
  'transfer type': 'tipo',
  'payer name': 'quien paga',
  'payer iban': 'IBAN de quien paga',
  'payer document number': 'documento de quien paga',
  'payee iban': 'IBAN del destinatario',
  'payee phone number': 'teléfono del destinatario',
  'payee document number': 'documento del destinatario',
  'error message': 'motivo',
  'submitted at': 'enviado',
  'completed at': 'acreditado',
  'signed amount': 'monto con signo',
  'overall status': 'estado general',
  'pin service': 'servicio PIN',
  'sinpe service': 'servicio SINPE',
  'pin available': 'PIN disponible',
  'sinpe available': 'SINPE disponible',
} as const satisfies Catalogue
