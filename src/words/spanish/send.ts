import type { Catalogue } from '../text.ts'

/** One payment: the question before it is sent, its result, and a result that is not known. */
export const send = {
  // The question
  'Send {} to {}?': '¿Enviar {} a {}?',
  'Send this payment again? If it was made after all, it is paid twice.':
    '¿Enviar este pago otra vez? Si ya se había hecho, se pagará dos veces.',
  'Send these {} payments again? If one was made after all, it is paid twice.':
    '¿Enviar estos {} pagos otra vez? Si alguno ya se había hecho, se pagará dos veces.',
  'This is real money. Type the amount to send it:': 'Es dinero real. Para enviarlo, escriba el monto:',
  'y/N': 's/N',
  'Y/n': 'S/n',
  'it repeats a payment, and the service no longer confirms that this payment failed':
    'repite un pago, y el servicio ya no confirma que ese pago haya fallado',
  'Warning: the service made two payments with key {}: {}, {}. Report both to the service.':
    'Advertencia: el servicio hizo dos pagos con la clave {}: {}, {}. Comunique ambos al servicio.',
  'Warning: line {} of batch {} may be paid twice: payment {} completed after the service had said that it failed, and {} repeats it. Report both to the service.':
    'Advertencia: la línea {} del lote {} puede que se haya pagado dos veces: el pago {} se completó después de que el servicio dijera que había fallado, y {} lo repite. Comunique ambos al servicio.',
  'Not confirmed: {}.': 'No se confirmó: {}.',
  'Not confirmed: nothing was sent.': 'No se confirmó: no se envió nada.',
  'nothing was sent': 'no se envió nada',
  'Run the command again to be asked again': 'Ejecute el comando otra vez para que se le pregunte de nuevo',
  'Run the command again to be asked again, or give the values as flags':
    'Ejecute el comando otra vez para que se le pregunte de nuevo, o indique los valores con opciones',
  'No answer: nothing was done.': 'No hubo respuesta: no se hizo nada.',
  'Interrupted.': 'Interrumpido.',
  "This command sends money, and can't ask without a terminal. Nothing was sent.":
    'Este comando envía dinero y sin una terminal no puede preguntar. No se envió nada.',
  'Add --yes to send without being asked, or --dry-run to see what would happen':
    'Agregue --yes para enviar sin preguntas, o --dry-run para ver qué pasaría',
  "To confirm, a person must type {} at a terminal, without --yes: the sum is above the profile's limit.":
    'Para confirmar, una persona debe escribir {} en una terminal, sin --yes: la suma supera el límite del perfil.',
  '--name-unchecked is only for a person at a terminal, whom payctl asks. Nothing was sent.':
    '--name-unchecked es solo para una persona en una terminal, a quien payctl le pregunta. No se envió nada.',
  'Leave --name-unchecked out; at a terminal, leave out --yes instead':
    'Quite --name-unchecked; en una terminal, quite en cambio --yes',
  'Only a person can agree to this holder.': 'Solo una persona puede aceptar a este titular.',

  // Facts before the question
  To: 'Para',
  Amount: 'Monto',
  From: 'De',
  Left: 'Queda',
  At: 'En',
  Text: 'Detalle',
  Email: 'Correo',
  '  Today     {} of {} used (limits of {})': '  Hoy       {} de {} ya usados (límites de {})',
  'fee {}': 'comisión {}',
  'not known': 'no se conoce',
  '{}, less the fee': '{}, menos la comisión',
  '{} in the currency of the account, which could not be read':
    '{} en la moneda de la cuenta, que no se pudo consultar',
  'name not available': 'nombre no disponible',
  'name not known: the service answered with {}': 'nombre desconocido: el servicio respondió con {}',
  '{} (account {})': '{} (cuenta {})',
  'the IBAN could not be read': 'no se pudo consultar la cuenta IBAN',
  'the balance could not be read': 'no se pudo consultar el saldo',
  'emulator on port {}': 'emulador en el puerto {}',
  'emulator on port {}, world {}': 'emulador en el puerto {}, mundo {}',
  'no real money, {}': 'sin dinero real, {}',
  'LIVE, {}': 'REAL, {}',
  'not marked live, {}': 'sin marca de dinero real, {}',
  'says it is an emulator, {}': 'dice que es un emulador, {}',
  'as {} ({})': 'como {} ({})',
  'the user of this token': 'el usuario de este token',
  'at {} as {} (profile {})': 'en {} como {} (perfil {})',
  'at {}, which says it is an emulator, as {} (profile {})': 'en {}, que dice ser un emulador, como {} (perfil {})',
  'at the emulator on port {} as {}, no real money': 'en el emulador del puerto {} como {}, sin dinero real',
  'at the emulator on port {}, world {}, as {}, no real money':
    'en el emulador del puerto {}, mundo {}, como {}, sin dinero real',

  // Sending, and the result
  '{} to {}': '{} a {}',
  'Sending {} to {}': 'Enviando {} a {}',
  'Sending {} {}': 'Enviando {} {}',
  'a payment': 'un pago',
  'its payee': 'su destinatario',
  sent: 'enviado',
  'sent, {}': 'enviado, {}',
  '{} in {} s': '{} en {} s',
  'Sent {}. {}': 'Enviado: {}. {}',
  'Not paid: {}. {}': 'No se pagó: {}. {}',
  'Payment {} is {}': 'Estado del pago {}: {}',
  'Payment {} was accepted': 'Se aceptó el pago {}',
  'Payment {} ended as {}': 'El pago {} terminó con el estado {}',
  'Payment {} is still {}: the wait timed out': 'El pago {} sigue con el estado {}: se acabó el tiempo de espera',
  'The status of payment {} could not be read within the time limit':
    'El estado del pago {} no se pudo consultar a tiempo',
  'Payment {} has been sent, but {}': 'El pago {} se envió, pero {}',
  'its status could not be read: {}': 'no se pudo consultar su estado: {}',
  'Payment {} has been sent, but its result could not be written: {}.':
    'El pago {} se envió, pero no se pudo escribir su resultado: {}.',
  'Interrupted. Payment {} was sent, and is still in progress.':
    'Interrumpido. El pago {} se envió y sigue en proceso.',
  'nothing was taken': 'no se debitó nada',
  'nothing was taken, or the money is back': 'no se debitó nada, o el dinero ya volvió',
  'the money is back': 'el dinero ya volvió',
  'the money is back in {}': 'el dinero ya volvió a {}',
  'still held': 'el monto sigue retenido',
  'still held in {}': 'el monto sigue retenido en {}',
  'it is not known whether money was taken: see the balance': 'no se sabe si se debitó dinero: consulte el saldo',
  'it is not known whether money was taken: see the balance of {}':
    'no se sabe si se debitó dinero: consulte el saldo de {}',
  '{}: the account had {} at {}.': '{}: la cuenta tenía {} el {}.',
  '  {} had {} at {}': '  {} tenía {} el {}',
  'This payment was made by an earlier request with this key. Nothing was paid twice.':
    'Este pago se hizo con una solicitud anterior con esta clave. No se pagó dos veces.',

  // The values of a payment: questions, and faults
  navigate: 'moverse',
  select: 'elegir',
  'From:': 'De:',
  'From (account id):': 'De (identificador de la cuenta):',
  'Give a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301.':
    'Indique un UUID como 3f2504e0-4f89-41d3-9a0c-0305e82c3301.',
  'To (IBAN or phone):': 'Para (cuenta IBAN o teléfono):',
  'To (a name, an IBAN or a phone):': 'Para (un nombre, una cuenta IBAN o un teléfono):',
  'No payee has that name.': 'Ningún destinatario tiene ese nombre.',
  'Amount in {}:': 'Monto en {}:',
  'Amount in {} (balance {}):': 'Monto en {} (saldo {}):',
  'Amount, like 1500.25:': 'Monto, por ejemplo 1500.25:',
  'The amount is in {}, but the account is in {}.': 'El monto está en {}, pero la cuenta está en {}.',
  'an unknown currency': 'una moneda desconocida',
  'Description (optional, 15 to 255 characters):': 'Detalle (opcional, de 15 a 255 caracteres):',
  'Showing {} of {} accounts; for another account use --from':
    'Se muestran {} de {} cuentas; para otra cuenta use --from',
  'You have no active account to send from.': 'Usted no tiene ninguna cuenta activa para enviar pagos.',
  'Refused: {}. Nothing was taken. Change it, or Ctrl-C to stop.':
    'Rechazado: {}. No se debitó nada. Corrija los datos, o presione Ctrl-C para terminar.',
  'From {}': 'De {}',
  'From {}, the account of the profile': 'De {}, la cuenta del perfil',
  'Add --to 8888-1234, or --to "CR05 0152 ..."': 'Agregue --to 8888-1234, o --to "CR05 0152 ..."',
  'Your accounts': 'Sus cuentas',
  'The amount is missing.': 'Falta el monto.',
  'Add --amount 1500.25, or --amount-minor 150025': 'Agregue --amount 1500.25, o --amount-minor 150025',
  '--amount and --amount-minor both give the amount.': 'Tanto --amount como --amount-minor indican el monto.',
  'Give one of them': 'Indique solo uno',
  '--amount is in {}.': '--amount está en {}.',
  'The account decides the currency: write the amount alone': 'La moneda es la de la cuenta: escriba solo el monto',
  "--amount is in {}, but the currency of the account can't be checked: this token is not allowed to read the account.":
    '--amount está en {}, pero no se puede comprobar la moneda de la cuenta: este token no permite consultar la cuenta.',
  '--amount is in {}, but the account is in {}.': '--amount está en {}, pero la cuenta está en {}.',
  'Write the amount without a currency': 'Escriba el monto sin moneda',
  "This token is not allowed to read accounts, so {} can't be found.":
    'Este token no permite consultar cuentas, así que no se puede buscar {}.',
  'Give the whole id of the account, or use a token with the scope read-accounts':
    'Indique el identificador completo de la cuenta, o use un token con el permiso read-accounts',
  '{} names an account that is {}: {}.': '{} indica una cuenta con el estado {}: {}.',
  'Choose another one': 'Elija otra',

  // Keys
  'This payment was sent before with this key: finding its outcome {}.':
    'Este pago ya se envió con esta clave: buscando el resultado {}.',
  'The key {} was sent to an earlier world of this emulator, and its payment is gone with that world: this is a new payment.':
    'La clave {} se usó en un mundo anterior de este emulador, y el pago de esa clave desapareció con ese mundo: este pago es nuevo.',
  'A payment with the key {}': 'Un pago con la clave {}',
  'The idempotency key {} belongs to another payment: {} ({}). Nothing was sent.':
    'La clave de idempotencia {} pertenece a otro pago: {} ({}). No se envió nada.',
  'The service already has a payment with the idempotency key {}. Nothing was sent.':
    'El servicio ya tiene un pago con la clave de idempotencia {}. No se envió nada.',

  // A result that is not known
  '  In doubt  {}: {}.': '  Sin confirmar  {}: {}.',
  'The outcome of the payment is unknown; money may have moved: {}. Sending it again could pay twice.':
    'No se conoce el resultado del pago; es posible que el dinero se haya movido: {}. Si envía el pago otra vez, podría pagar dos veces.',
  'The outcome of the payment is unknown; money may have moved: {}. {}':
    'No se conoce el resultado del pago; es posible que el dinero se haya movido: {}. {}',
  'Check the payment history before sending the payment again.':
    'Revise el historial de pagos antes de enviar el pago otra vez.',
  'First look for the idempotency key ({}) in the payment history. Sending the payment again with that key does not pay twice while the service remembers the key; a new key could pay twice.':
    'Busque primero la clave de idempotencia ({}) en el historial de pagos. Con esa misma clave no se paga dos veces mientras el servicio la recuerde; con una clave nueva sí podría pagarse dos veces.',
  "Payment {} has been sent with this key, but it can't be read: {}.":
    'El pago {} se envió con esta clave, pero no se puede consultar: {}.',
  "the history does not have it, this machine's clock was set back since it was sent, and the service may have forgotten its idempotency key since, so that a repetition could pay again":
    'no está en el historial, el reloj de esta máquina se atrasó después del envío, y el servicio puede haber olvidado la clave de idempotencia desde entonces, así que repetirlo podría pagar otra vez',
  "it may have been made ({}), this machine's clock was set back since it was sent, and the service may have forgotten its idempotency key since, so that a repetition could pay again":
    'puede que se haya hecho ({}), el reloj de esta máquina se atrasó después del envío, y el servicio puede haber olvidado la clave de idempotencia desde entonces, así que repetirlo podría pagar otra vez',
  'The payment was not made: {}. The payment journal could not record this, so a resumption sends the payment again: do not replace it by a new payment.':
    'El pago no se hizo: {}. No se pudo anotar en el registro de pagos, así que al reanudarlo se enviará otra vez: no lo reemplace por un pago nuevo.',
  'The service may have forgotten the idempotency key of this payment since it was sent. Nothing more was sent.':
    'El servicio puede haber olvidado la clave de idempotencia de este pago desde que se envió. No se envió nada más.',
  'the history does not have it, it was sent {} ago, and {} (keys are trusted for {}), so that a repetition could pay again':
    'no está en el historial, se envió hace {} y {} (las claves sirven durante {}), así que una repetición podría pagarlo otra vez',
  'it may have been made ({}), it was sent {} ago, and {} (keys are trusted for {}), so that a repetition could pay again':
    'es posible que se haya hecho ({}), se envió hace {} y {} (las claves sirven durante {}), así que una repetición podría pagarlo otra vez',
  "the history does not have it, it was sent {} ago by the service's clock, and {} (keys are trusted for {}), so that a repetition could pay again":
    'no está en el historial, se envió hace {} según el reloj del servicio y {} (las claves sirven durante {}), así que una repetición podría pagarlo otra vez',
  "it may have been made ({}), it was sent {} ago by the service's clock, and {} (keys are trusted for {}), so that a repetition could pay again":
    'es posible que se haya hecho ({}), se envió hace {} según el reloj del servicio y {} (las claves sirven durante {}), así que una repetición podría pagarlo otra vez',
  'the service may have forgotten its idempotency key since':
    'el servicio ya puede haber olvidado la clave de idempotencia del pago',
  'a repetition can take {} to arrive, and the service may have forgotten its idempotency key by then':
    'una repetición puede tardar {} en llegar, y para entonces el servicio puede haber olvidado la clave de idempotencia del pago',
  '{} days': '{} días',
  'Another process has found the outcome of this payment meanwhile; nothing more was sent for it.':
    'Otro proceso resolvió este pago mientras tanto; no se envió nada más.',
  'the answers come from a different world than before: the emulator was reset or replaced':
    'las respuestas vienen de un mundo distinto: el emulador se reinició o se reemplazó',
  'Nothing more was sent: {}.': 'No se envió nada más: {}.',
  'The outcome is not in the audit file: {}': 'El resultado no quedó en el archivo de auditoría: {}',

  // Owner of a payment
  'Profile {} leads to a service that is marked as live, and an emulator answers at {}. Nothing was sent.':
    'El perfil {} es de un servicio marcado como de dinero real, pero en {} responde un emulador. No se envió nada.',
  '{} was made for {} (profile {}), not for {}. Nothing was sent.':
    '{} se hizo para {} (perfil {}), no para {}. No se envió nada.',
  '{} was sent by another user ({}, profile {}), not by {}. Nothing was sent.':
    '{} lo envió otro usuario ({}, perfil {}), no {}. No se envió nada.',
  'the holder of this token': 'el dueño de este token',
  '{} was sent in an emulator world that is gone (the emulator was reset or replaced): the payment existed only there. Nothing was sent.':
    '{} se envió en un mundo de emulador que ya no existe (el emulador se reinició o se reemplazó): el pago existía solo allí. No se envió nada.',
  "The service does not say who this token belongs to, so payctl can't be certain that it belongs to {}. Nothing was sent.":
    'El servicio no dice de quién es este token, así que no es seguro que sea de {}. No se envió nada.',
  'The service does not say who this token belongs to. Nothing was sent.':
    'El servicio no dice de quién es este token. No se envió nada.',
  '{} names {}, but this run sends as {} (profile {}). Nothing was sent.':
    '{} indica a {}, pero este comando envía como {} (perfil {}). No se envió nada.',
  '{} {} in doubt, money may have moved, and who sent {} is not known: the history that this token reads has no such payment. Sending again as another user could pay twice.':
    (which, is) =>
      is === 'is'
        ? `${which} está sin confirmar; es posible que el dinero se haya movido y no se sabe quién hizo el pago: el historial de este token no lo tiene. Si otro usuario repite el pago, se podría pagar dos veces.`
        : `${which} están sin confirmar; es posible que el dinero se haya movido y no se sabe quién hizo los pagos: el historial de este token no los tiene. Si otro usuario repite los pagos, se podrían pagar dos veces.`,
  '{} {} paid by a login whose user is not known, and the history that this token reads does not show yet who paid. Sending again as the same user could pay twice.':
    (which, was) =>
      was === 'was'
        ? `${which} se pagó desde una sesión cuyo usuario no se conoce, y el historial de este token aún no muestra quién pagó. Si el mismo usuario repite el envío, podría pagar dos veces.`
        : `${which} se pagaron desde una sesión cuyo usuario no se conoce, y el historial de este token aún no muestra quién pagó. Si el mismo usuario repite los envíos, podría pagar dos veces.`,

  // One payment by its id
  Payment: 'Pago',
  'Last payment': 'Último pago',
  Intent: 'Intento de pago',
  'Last intent': 'Último intento de pago',
  'To see the balance': 'Para ver el saldo',
  "'{}' is the id of an intent, not of a payment.": "'{}' es el identificador de un intento de pago, no de un pago.",
  "'{}' is a reference, not an id.": "'{}' es una referencia, no un identificador.",
  "'{}' is too short for the id of a payment.": "'{}' es muy corto para el identificador de un pago.",
  "'{}' is too short for the id of an intent.": "'{}' es muy corto para el identificador de un intento de pago.",
  'Give at least {} characters of it, or last': 'Indique al menos {} caracteres, o last',
  "'{}' is not an id, nor part of one.": "'{}' no es un identificador, ni parte de uno.",
  'An id looks like this: {}': 'Un identificador se ve así: {}',
  'the newest {} of {}': 'los {} más recientes de {}',
  'No payment has an id with {} in it. Searched: {}, and the payments sent from here.':
    'Ningún pago tiene {} en su identificador. Se buscó en {}, y en los que se enviaron desde aquí.',
  'Number of matches for this part of an id: {}': 'Coincidencias de esta parte de un identificador: {}',
  '{}; these are the first {}.': '{}; estas son las primeras {}.',
  'Give more of the id': 'Indique más caracteres del identificador',
  'A request after that payment has the status {}': 'Hay una solicitud posterior con el estado {}',
} as const satisfies Catalogue
