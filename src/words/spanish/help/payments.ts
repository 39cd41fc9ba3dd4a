import type { Catalogue } from '../../text.ts'

/** `payments` with its subcommands, except batches. */
export const payments = {
  'Send, check and follow payments': 'Envía y revisa pagos, y les da seguimiento',
  'Send a payment': 'Envía un pago',
  'Send the payments of a spreadsheet or CSV file': 'Envía los pagos de una hoja de cálculo o un CSV',
  'Check a payment and show its fee': 'Revisa un pago y muestra su comisión',
  'Show one payment': 'Muestra un pago',
  'Print each status of a payment as it comes': 'Muestra cada estado de un pago apenas cambia',
  'List payments, newest first': 'Muestra los pagos, primero los más recientes',
  'Find payments by a reference, key, name, amount or date': 'Busca pagos por referencia, clave, nombre, monto o fecha',
  'Print a proof of payment, as text or a page': 'Emite el comprobante de un pago, como texto o página',
  'Show whether PIN and SINPE Móvil are online': 'Muestra si PIN y SINPE Móvil están en línea',
  'List the payments requested on this machine': 'Muestra los pagos solicitados en este equipo',
  'Find the outcome of a payment whose answer was lost': 'Averigua el resultado de un pago sin respuesta',

  // send, validate
  'Send a payment to an IBAN (PIN) or a phone (SINPE Móvil). At a terminal, payctl asks for missing values, shows payee, amount and fee, and asks before it sends. With --yes it asks nothing, and the service does the remaining checks. After an interruption at any point, payctl payments resume finds out whether the payment was made, before anything is sent again.':
    'Envía un pago a una cuenta IBAN (PIN) o a un teléfono (SINPE Móvil). En una terminal pide los datos que faltan, muestra destinatario, monto y comisión, y pregunta antes de enviar. Con --yes no pregunta nada, y el servicio hace las verificaciones restantes. Si el comando se interrumpe en cualquier momento, payctl payments resume averigua si se pagó, antes de enviar nada otra vez.',
  'Ask the service to check a payment and return its channel and fee. Sends nothing. At a terminal, payctl asks for missing values.':
    'Pide al servicio que revise un pago e indique su canal y su comisión. No envía nada. En una terminal pide los datos que faltan.',
  'account to debit: IBAN, id, last digits or currency': 'cuenta de origen: IBAN, id, últimos dígitos o moneda',
  'or a payee’s name, if the account is yours; default: the profile’s':
    'o un destinatario guardado, si la cuenta es suya; predeterminado: la del perfil',
  'an IBAN, a phone, or a saved payee': 'cuenta IBAN, teléfono o destinatario guardado',
  'spaces and dashes are allowed': 'se permiten espacios y guiones',
  'as 1500.25, 1.500,25 or ₡1500': 'así: 1500.25, 1.500,25 o ₡1500',
  'in major units of the account’s currency': 'en la moneda de la cuenta: colones o dólares',
  'decimal mark of --amount': 'separador decimal de --amount',
  'needed if 1.500 has two readings': 'necesario si 1.500 se puede leer de dos maneras',
  'amount in minor units: 150025': 'monto en céntimos: 150025',
  'text for the recipient, 15 to 255 characters': 'detalle que ve quien recibe; 15 a 255 caracteres',
  'send only if the holder has this name': 'envía solo si el titular tiene este nombre',
  'the holder of the account or phone': 'titular de la cuenta o del teléfono',
  'send only if the holder has this identity document': 'envía solo si el titular tiene este documento',
  'email address of the recipient, for a notification if the service sends one':
    'correo donde el servicio avisa al destinatario, si lo hace',
  'your key for this payment, so that it is never made twice': 'clave suya: este pago nunca se hace dos veces',
  'if a payment with this key exists, it is shown, and nothing is sent; default: generated':
    'si ya hay un pago con esta clave, se muestra, y no se envía nada; predeterminado: se genera una',
  'wait until the payment has ended: exit 0 completed, 8 ended otherwise':
    'espera el final del pago: código 0 si se acreditó, 8 si terminó de otra forma',
  '9 still in progress': '9 si sigue en proceso',
  'time limit of the wait; implies --wait': 'tiempo máximo de espera; activa --wait',
  'time for which the service remembers keys (default: 24h)':
    'tiempo que el servicio recuerda las claves (predeterminado: 24h)',
  'older payments in doubt are sent again only after a question':
    'un pago sin confirmar más antiguo se envía otra vez solo si usted responde que sí',
  'ask even if the holder’s name can’t be compared': 'pregunta aunque no se pueda comparar el nombre del titular',
  'at a terminal only': 'solo en una terminal',
  'do everything except send, and print the channel and the fee':
    'hace todo menos enviar, y muestra el canal y la comisión',

  // get, watch, receipt, service-status
  'Show one payment. Its status does not change the exit code: see payctl payments watch.':
    'Muestra un pago. Su estado no cambia el código de salida: vea payctl payments watch.',
  'id of the payment, at least five characters of the id, or last':
    'id del pago, al menos cinco de sus caracteres, o last (el último)',
  'Print each status of a payment as it comes. Exit 0 completed, 8 ended otherwise, 9 still in progress.':
    'Muestra cada estado de un pago apenas cambia. Código de salida 0: acreditado; 8: terminó de otro modo; 9: sigue en proceso.',
  'Print a proof of payment to send to a payee: as text, or as one page to print. The receipt says clearly if a payment has not arrived, or was made at an emulator. It shows only the beginning and end of your own account number.':
    'Emite un comprobante de pago para el destinatario: como texto, o como una página para imprimir. Indica con claridad si el pago no ha llegado, o si se hizo en un emulador. De su propia cuenta solo muestra el principio y el final.',
  'language of receipts (default: es), notes and errors':
    'idioma de los comprobantes (predeterminado: es), avisos y errores',
  'write the receipt as a page for a browser; - for stdout':
    'guarda el comprobante como página para el navegador; - para stdout',
  'Show whether PIN and SINPE Móvil are online. Needs no token; the exit code is 0 whatever the status is.':
    'Muestra si PIN y SINPE Móvil están en línea. No necesita token; el código de salida es 0 en todo caso.',

  // history
  'only from this time on: 2026-11-01, 7d, 24h or today': 'desde esta fecha: 2026-11-01, 7d, 24h o today (hoy)',
  'also yesterday, 2026-11-01T14:30': 'también yesterday (ayer), 2026-11-01T14:30',
  'only until this time; a date includes the whole day': 'hasta esta fecha; un día se incluye completo',
  'only these statuses, as a,b: failed,timeout': 'solo estos estados, así: failed,timeout',
  'pending, processing, completed, failed, timeout, service_unavailable, validation_failed, system_error':
    'pending, processing, completed, failed, timeout, service_unavailable, validation_failed, system_error',
  'only payments of this account: IBAN, id, last digits': 'solo de esta cuenta: IBAN, id o últimos dígitos',
  'also the currency of the account': 'también la moneda de la cuenta',
  'only payments to this payee: IBAN, phone, or part of a name':
    'solo a este destinatario: IBAN, teléfono o parte del nombre',
  'also the name of a saved payee': 'también el nombre de un destinatario guardado',
  'only payments from this payer: IBAN, or part of a name': 'solo de este pagador: IBAN o parte del nombre',
  'only these amounts: 1500.25, 1000.., ..200, 100..200': 'solo estos montos: 1500.25, 1000.., ..200, 100..200',
  "or '>1000', '<=200'": "o '>1000', '<=200'",
  'only this currency': 'solo esta moneda',
  'only payments that came in, or only those that went out': 'solo dinero que entró, o que salió',
  'only payments of this channel': 'solo pagos de este canal',
  'the same as --direction, in the words of the service': '--direction con las palabras del servicio',
  'only payments to the holder of this identity document': 'solo al titular de este documento de identidad',
  'the newest n payments, over several pages if needed': 'los n más recientes, de varias páginas si hace falta',
  'payments on a page, 1 to 1000': 'pagos por página, de 1 a 1000',
  'list the newest 10 (or --limit), then each new payment': 'los últimos 10 (o --limit), y después cada pago nuevo',
  'oldest first; a payment is listed again when its status changes; Ctrl-C ends the command with exit 130':
    'primero los más antiguos; un pago se muestra otra vez si cambia su estado; Ctrl-C termina el comando con el código 130',
  'time between two requests; implies --follow': 'entre dos consultas; activa --follow',
  'Times without a zone are in the zone of this machine, and a day includes its end: --since 2026-11-01 --until 2026-11-30 is all of November. The service applies --channel, --direction and --document; payctl applies the other filters to all pages of the history, up to --limit matches. With --since nothing older is read, if the service lists the newest payments first.':
    'Una hora sin zona está en la zona de este equipo, y un día incluye su final: --since 2026-11-01 --until 2026-11-30 es todo noviembre. El servicio aplica --channel, --direction y --document; payctl aplica los demás filtros, a todas las páginas del historial, hasta completar --limit. Con --since no se lee nada anterior, si el servicio muestra primero lo más reciente.',
  'Below a table are the sums of its payments by currency: out is money that left or is on its way, in is money that arrived. Payments that did not arrive are not counted.':
    'Debajo de una tabla están las sumas de los pagos que muestra, por moneda: salidas es el dinero que salió o va en camino; entradas, el que llegó. Los pagos que no llegaron no se cuentan.',

  // find
  'Find payments by any fact about them: a SINPE or channel reference, an idempotency key, an intent, the beginning or end of an id, an IBAN or phone, an identity document, an amount, a date, a batch, words of the name or description. Searches the journal of this machine and then, unless the journal has the answer, the history. Exit 3 if no payment matches.':
    'Busca pagos por cualquier dato: una referencia de SINPE o del canal, una clave de idempotencia, un intento de pago, el principio o el final de un id, una cuenta IBAN o un teléfono, un documento de identidad, un monto, una fecha, un lote, palabras del nombre o del detalle. Busca en el registro de pagos de este equipo y, si ahí no está la respuesta, en el historial. Código de salida 3 si no hay ninguno.',
  'facts about the payment': 'datos del pago',
  'maximum number of payments to read from the history': 'cantidad máxima de pagos que se leen del historial',
  'read the whole history': 'lee todo el historial',

  // outbox, resume
  'List the payments requested on this machine, newest first, with the state of each: prepared (the service has not accepted it), sent (in flight, or cut off), unknown (the answer was lost), rejected, or settled. For a settled payment, a table shows its status as last read. A terminal shows the newest 100, without those of ended worlds of emulators; other output has all. An amount without a currency is in the account’s currency, which the service has not reported yet.':
    'Muestra los pagos solicitados en este equipo, primero los más recientes, con el estado de cada uno: prepared (el servicio no lo ha aceptado), sent (en camino, o interrumpido), unknown (se perdió la respuesta), rejected (rechazado) o settled (aceptado). De un pago en estado settled, una tabla muestra el último estado consultado. En una terminal se muestran los 100 más recientes, sin los de mundos de emulador ya terminados; en cualquier otra salida, todos. Un monto sin moneda está en la moneda de la cuenta, que el servicio aún no ha indicado.',
  'show only this intent: id, part of the id, key, or last':
    'solo este intento de pago: su id, una parte de él, su clave, o last (el último)',
  'only payments in this state': 'solo pagos en este estado',
  'only payments that are prepared, sent or unknown': 'solo pagos en estado prepared, sent o unknown',
  'only payments of this batch: name, part of the name, or last':
    'solo pagos de este lote: su nombre, una parte de él, o last (el último)',
  'all intents, even on a terminal, and even those of ended worlds':
    'todos los intentos de pago, también en una terminal, y también de mundos que ya terminaron',
  'Find out what happened to a payment whose answer was lost: reads the history, and if the payment is not there, repeats the request with the same key. A key that the service may have forgotten is repeated only after a yes. Without an intent: all payments that are sent or unknown. A payment that the service has not accepted must be named, alone or by its batch, and is sent only after a yes. Only the user who sent a payment can resume it.':
    'Averigua qué pasó con un pago cuya respuesta se perdió: lee el historial y, si el pago no está ahí, repite la solicitud con la misma clave. Si el servicio pudo haber olvidado la clave, la repite solo si usted responde que sí. Si no se indica un intento de pago: todos los pagos en estado sent o unknown. Un pago que el servicio no ha aceptado se debe indicar, solo o por su lote, y se envía solo si usted responde que sí. Solo el usuario que envió un pago puede retomarlo.',
  'id of the intent, at least five characters of the id, the key, or last':
    'id del intento de pago, al menos cinco de sus caracteres, su clave, o last (el último)',
  'email or id of the sender, if payctl did not record the sender: you must be the sender':
    'correo o id de quien envió el pago, si payctl no lo registró: debe ser usted',
  'also send payments that the service has not accepted, without asking':
    'sin preguntar, envía también pagos que el servicio no ha aceptado',
} as const satisfies Catalogue
