import type { Catalogue } from '../text.ts'

/** `1 enviada`, `3 enviadas`: a count with words that agree with it. `count` is already formatted. */
const counted = (count: string, one: string, several: string): string => `${count} ${count === '1' ? one : several}`

/** `línea 3`, `líneas 3, 4`. */
export const named = (lines: string): string => `${lines.includes(',') ? 'líneas' : 'línea'} ${lines}`

const isOne = (rows: string): boolean => rows === '1 fila'

/** `1 fila rechazada: motivo`, `2 filas con datos rechazados: motivo`. */
function withState(rows: string, stateAndReason: string): string {
  const [, state = '', reason = ''] = /^([^:]*)(.*)$/s.exec(stateAndReason) ?? []
  const words = statesOfRows[state]
  return `${rows} ${words?.[isOne(rows) ? 0 : 1] ?? `con el estado «${state}»`}${reason}`
}

/** States of rows that were not paid: the words for one row, and for several. */
const statesOfRows: Readonly<Record<string, readonly [one: string, several: string]>> = {
  rechazado: ['rechazada', 'rechazadas'],
  fallido: ['fallida', 'fallidas'],
  'sin respuesta a tiempo': ['sin respuesta a tiempo', 'sin respuesta a tiempo'],
  'canal no disponible': ['con el canal no disponible', 'con el canal no disponible'],
  'datos rechazados': ['con datos rechazados', 'con datos rechazados'],
  'error del sistema': ['con error del sistema', 'con error del sistema'],
}

/** A batch: summary, question, progress, result, and the commands that continue it. */
export const batches = {
  // Counts
  '1 row': '1 fila',
  '{} rows': '{} filas',
  '1 payment': '1 pago',
  '{} payments': '{} pagos',
  '1 payee': '1 destinatario',
  '{} payees': '{} destinatarios',
  '{} of {}': '{} de {}',
  '{} sent': (count) => counted(count, 'enviada', 'enviadas'),
  '{} completed': (count) => counted(count, 'completada', 'completadas'),
  '{} in progress': '{} en proceso',
  '{} failed{}': (count) => counted(count, 'fallida', 'fallidas'),
  '{} refused{}': (count) => counted(count, 'rechazada', 'rechazadas'),
  '{} in doubt': '{} sin confirmar',
  '{} not sent': '{} sin enviar',
  refused: 'rechazado',
  'in doubt': 'sin confirmar',

  // The summary before the question
  Batch: 'Lote',
  'Left out': 'Omitidas',
  'In doubt': 'Sin confirmar',
  Unusual: 'Inusual',
  Warning: 'Advertencia',
  New: 'Nuevo',
  Documents: 'Documentos',
  'batch {}': 'lote {}',
  '{} + fees not known': '{} + comisiones desconocidas',
  '{} + fees about {}': '{} + comisiones aprox. {}',
  'balance after it {}': 'saldo final de {} menos las comisiones',
  'balance after about {}': 'saldo final de unos {}',
  '{} sent before ({}, {})': (count, at, zone) => `${counted(count, 'enviada', 'enviadas')} antes (${at}, ${zone})`,
  '{} sent before ({} to {}, {})': (count, from, to, zone) =>
    `${counted(count, 'enviada', 'enviadas')} antes (${from} a ${to}, ${zone})`,
  '{}: not in the history, sent again with their own keys': (count) =>
    count === '1'
      ? '1: no está en el historial; se envía otra vez con la misma clave'
      : `${count}: no están en el historial; se envían otra vez con las mismas claves`,
  '{}: perhaps in the history, sent again with their own keys': (count) =>
    count === '1'
      ? '1: quizá está en el historial; se envía otra vez con la misma clave'
      : `${count}: quizá están en el historial; se envían otra vez con las mismas claves`,
  '{}: not sent again, because the history could not be read': (count) =>
    count === '1'
      ? '1: no se envía otra vez, porque no se pudo leer el historial'
      : `${count}: no se envían otra vez, porque no se pudo leer el historial`,
  '{}: not sent again, because the service may have forgotten their keys': (count) =>
    count === '1'
      ? '1: no se envía otra vez, porque el servicio puede haber olvidado la clave'
      : `${count}: no se envían otra vez, porque el servicio puede haber olvidado las claves`,
  '  Warning      {}': '  Advertencia  {}',
  'Warning  {}': 'Advertencia  {}',
  'the service refuses {} as it is: {}': 'el servicio rechaza la {} tal como está: {}',
  'the service refuses {} as they are: {}': 'el servicio rechaza las {} tal como están: {}',
  '1 row repeats an earlier row (line {}): same payee, amount, description and account. Each will be paid':
    '1 fila (línea {}) repite otra anterior: mismo destinatario, monto, detalle y cuenta. Se pagarán las dos',
  '{} rows repeat an earlier row (lines {}): same payee, amount, description and account. Each will be paid':
    '{} filas (líneas {}) repiten otra anterior: mismo destinatario, monto, detalle y cuenta. Se pagarán todas',
  '{} in {} from line {} on': '{} en {} desde la línea {}',
  'formulas give {}: their results are from the last time that the file was saved':
    'hay fórmulas en {}: sus resultados son los de la última vez que se guardó el archivo',
  '{} has {} too little for its rows': 'a la cuenta {} le faltan {} para pagar sus filas',
  'the token is not allowed to read accounts: accounts and their currencies were not checked':
    'el token no permite consultar cuentas: no se revisaron las cuentas ni sus monedas',
  '1 row sent with the rows of this file is in doubt and no longer in the file. If it was corrected there, both versions could be paid.':
    '1 fila enviada junto con las de este archivo está sin confirmar y ya no está en el archivo. Si se corrigió, podrían pagarse las dos versiones.',
  '{} rows sent with the rows of this file are in doubt and no longer in the file. If they were corrected there, both versions of each could be paid.':
    '{} filas enviadas junto con las de este archivo están sin confirmar y ya no están en el archivo. Si se corrigieron, podrían pagarse las dos versiones.',
  '1 row asks for a payment that was sent before with another spelling of the description, or with a description that the row lacks. If this is the same list, saved by another program, it would be paid twice.':
    '1 fila pide un pago que ya se envió con el detalle escrito de otra forma, o con un detalle que la fila no tiene. Si es la misma lista guardada con otro programa, se pagaría dos veces.',
  '{} rows ask for payments that were sent before with another spelling of the description, or with a description that the row lacks. If this is the same list, saved by another program, it would be paid twice.':
    '{} filas piden pagos que ya se enviaron con el detalle escrito de otra forma, o con un detalle que la fila no tiene. Si es la misma lista guardada con otro programa, se pagarían dos veces.',
  '1 of {} repeats what another file has sent': '1 de {} repite lo que ya se envió desde otro archivo',
  '{} of {} repeat what another file has sent': '{} de {} repiten lo que ya se envió desde otro archivo',

  // The question
  'Send {}, {}?': '¿Enviar {} por {}?',
  'Send {}, {} in spite of 1 warning?': '¿Enviar {} por {} a pesar de 1 advertencia?',
  'Send {}, {} in spite of {} warnings?': '¿Enviar {} por {} a pesar de {} advertencias?',
  '1 of {} repeats a payment of the last 8 days. {}': '1 de {} repite un pago de los últimos 8 días. {}',
  '{} of {} repeat a payment of the last 8 days. {}': '{} de {} repiten un pago de los últimos 8 días. {}',
  'Nothing to send: all {}.': 'No queda nada por enviar: {}.',
  'Nothing was sent: {} of this file': 'No se envió nada: {} de este archivo',
  'In the file {}. Nothing was sent.': 'En el archivo {}. No se envió nada.',
  '{} Nothing was sent.': '{} No se envió nada.',
  "The payments come from stdin, so payctl can't ask. Nothing was sent.":
    'Los pagos vienen de la entrada estándar, así que payctl no puede preguntar. No se envió nada.',

  // Progress
  'Looking payees up: {}': 'Consultando destinatarios: {}',
  'Preparing {} of {}': 'Preparando {} de {}',
  'waits {} s: rate limit': 'espera {} s: límite de solicitudes',
  "reads today's statuses": 'consulta los estados actuales',
  '{} left': 'faltan {}',
  'Interrupted: waiting at most {} s for the answer to 1 row that was sent.':
    'Interrumpido: se espera como máximo {} s la respuesta a 1 fila enviada.',
  'Interrupted: waiting at most {} s for the answer to {} rows that were sent.':
    'Interrumpido: se espera como máximo {} s la respuesta a {} filas enviadas.',
  "The statuses of {} sent before may be out of date, because they can't be read now: {}.":
    'Puede que no estén al día los estados de lo enviado antes ({}), porque no se pueden consultar ahora: {}.',
  'The service gave no clear answer for {} consecutive rows, so no more were sent: {}.':
    'El servicio no dio una respuesta clara para {} filas seguidas, así que no se enviaron más: {}.',

  // The result
  '{} Batch {}.': '{} Lote {}.',
  '  Batch {}': '  Lote {}',
  'Batch {}': 'Lote {}',
  'Batch {}: {}, {}': 'Lote {}: {}, {}',
  '{}; {} paid or in progress.': '{}; {} pagados o en proceso.',
  '{}; {} paid or in progress, fees {}.': '{}; {} pagados o en proceso, comisiones {}.',
  '  Paid or on its way: {}': '  Pagado o en camino: {}',
  '{}, fees about {}': '{}, comisiones aprox. {}',
  '{}, fees {}': '{}, comisiones {}',
  '{} of {} sent': (sent, all) => `${sent} de ${all} ${all === '1 fila' ? 'enviada' : 'enviadas'}`,
  '{} ended unsuccessfully': (count) => counted(count, 'terminó sin pagarse', 'terminaron sin pagarse'),
  '{} still in progress': '{} todavía en proceso',
  'the outcome of {} is unknown (money may have moved)': '{} sin confirmar (es posible que el dinero se haya movido)',
  '  and {} more': '  y {} más',
  'Results in {}.': 'Resultados en {}.',
  'The result could not be written: {}.': 'No se pudo escribir el resultado: {}.',
  'For the results of the whole batch': 'Los de todo el lote',
  'Find out': 'Para averiguarlo',
  'See the outcome of each row': 'Para ver el resultado de cada fila',
  'Run the same command again: in the current world each row is paid once':
    'Ejecute el mismo comando otra vez: en el mundo actual cada fila se paga una vez',
  'Batch {} lacks rows of its file: an earlier run ended before it had recorded all of them. Nothing was sent.':
    'Al lote {} le faltan filas de su archivo: una ejecución anterior terminó antes de registrarlas todas. No se envió nada.',
  'Run the same command again: not all rows were recorded, so `resume` would leave some rows out':
    'Ejecute el mismo comando otra vez: no se registraron todas las filas, así que `resume` omitiría algunas',
  'To see each reason and send those rows again': 'Para ver cada motivo y enviar esas filas otra vez',
  'Run the same command again to continue waiting: no row that was sent is sent again':
    'Ejecute el mismo comando otra vez para seguir esperando: ninguna fila enviada se envía de nuevo',
  'To continue, run the same command again or': 'Para continuar, ejecute el mismo comando otra vez o',
  'Correct the file and run the command again with --skip-sent: rows that were sent are left out':
    'Corrija lo rechazado y envíe el archivo otra vez con --skip-sent: se omite lo que ya se envió',
  'Correct the file and run the command again: rows that were sent are left out':
    'Corrija lo rechazado y envíe el archivo otra vez: se omite lo que ya se envió',
  'Correct the file and send it again': 'Corrija el archivo y envíelo otra vez',
  'To pay the rows again: --batch-id <name>': 'Para pagar esas filas otra vez: --batch-id <nombre>',
  'To pay the rows again: --batch-id <another name>':
    'Para pagar esas filas otra vez, use otro nombre: --batch-id <otro nombre>',
  'If this is a corrected version of that file: --skip-sent leaves the repeated rows out. If they are due again: --batch-id <name> sends all rows':
    'Si es ese archivo, corregido: --skip-sent omite las filas repetidas. Si hay que pagarlas otra vez: --batch-id <nombre> las envía todas',
  'If the payments are the same, write the rows as they were sent. If the payments are due again: --batch-id <name> sends all rows':
    'Si es la misma lista, escriba el detalle como se envió. Si hay que pagarla otra vez: --batch-id <nombre> la envía completa',

  // To resume and to retry
  '{} of batch {} that the service has not accepted, {}, {}': '{} del lote {} que el servicio no ha aceptado, {}, {}',
  '{}; 1 row in doubt is sent again with its key': '{}; 1 fila sin confirmar se envía otra vez con la misma clave',
  '{}; {} in doubt are sent again with their keys': '{}; {} sin confirmar se envían otra vez con las mismas claves',
  '{} of batch {} again, {}, {}': '{} del lote {} otra vez, {}, {}',
  'Send {}?': '¿Enviar {}?',
  'Sending {}': 'Enviando {}',
  'send {}': 'enviar {}',
  'Finding the outcome of {} in doubt of batch {}, sent {}':
    'Buscando el resultado de {} sin confirmar del lote {}, que se envió {}',
  'Batch {} has no unfinished rows.': 'El lote {} no tiene filas pendientes.',
  '{} of this batch': '{} de las filas del lote',
  "{} with the keys of this batch's rows": '{} con las claves de las filas del lote',
  '1 unfinished row of this batch belongs to another user, or to a world that is gone: left out.':
    '1 fila pendiente de este lote es de otro usuario, o de un mundo que ya no existe: se omite.',
  '{} unfinished rows of this batch belong to another user, or to a world that is gone: left out.':
    '{} filas pendientes de este lote son de otro usuario, o de un mundo que ya no existe: se omiten.',
  'Reading the outcomes of the rows of batch {}': 'Consultando el resultado de las filas del lote {}',
  'no reason given': 'no se indicó el motivo',
  'refused: {}': 'rechazado: {}',
  '  {} {} (line {})': (rows, state, lines) => `  ${withState(rows, state)} (${named(lines)})`,
  '  Left out: {} sent again before': (rows) =>
    isOne(rows) ? `  Se omite ${rows}, ya enviada otra vez` : `  Se omiten ${rows}, ya enviadas otra vez`,
  '  Left out: {}, {}': (rows, why) => `  Se ${isOne(rows) ? 'omite' : 'omiten'} ${rows}: ${why}`,
  '  Left out: {} in doubt': (rows) => `  Se ${isOne(rows) ? 'omite' : 'omiten'} ${rows} sin confirmar`,
  'the service could not be asked whether they failed': 'no se pudo consultar su estado en el servicio',
  'Left out: {}. The service no longer confirms that the earlier payment failed.': (rows) =>
    `Se ${isOne(rows) ? 'omite' : 'omiten'} ${rows}. El servicio ya no confirma que el pago anterior haya fallado.`,
  '{} was not sent: it repeats {}, and the service no longer confirms that this payment failed.':
    '{} no se envió: repite {}, y el servicio ya no confirma que ese pago haya fallado.',
  'the service no longer confirms that they failed': 'el servicio ya no confirma que hayan fallado',
  'perhaps paid by a login whose user is not known': 'quizás se pagó desde una sesión cuyo usuario no se conoce',
  'perhaps paid since, as {}': 'quizás se pagó después, como {}',
  'No row of batch {} was refused or has failed. Nothing was sent.':
    'Ninguna fila del lote {} fue rechazada ni falló. No se envió nada.',
  'The only row of batch {} that was refused or failed is left out. Nothing was sent.':
    'La única fila rechazada o fallida del lote {} se omite. No se envió nada.',
  'All {} rows of batch {} that were refused or failed are left out. Nothing was sent.':
    'Las {} filas rechazadas o fallidas del lote {} se omiten. No se envió nada.',
  'A file named retry exists here, and the name of the batch is missing. Nothing was sent.':
    'Aquí hay un archivo llamado retry, y falta el nombre del lote. No se envió nada.',
  'For the file retry': 'Para el archivo retry',
  'Add --yes to send without being asked': 'Agregue --yes para enviar sin preguntas',

  // Names of batches
  'Batch {} does not exist. Nothing was sent.': 'El lote {} no existe. No se envió nada.',
  '{} is part of the names of {} batches.': '{} es parte del nombre de {} lotes.',
  'Give the whole name': 'Indique el nombre completo',
  'No batch of this user is known on this machine. Nothing was sent.':
    'En este equipo no se conoce ningún lote de este usuario. No se envió nada.',
  'The batch to send again is not named. Nothing was sent.':
    'Falta el nombre del lote que se debe enviar otra vez. No se envió nada.',
  'Give the name of the batch': 'Indique el nombre del lote',
  'This machine has no batch {} of this user at {}, in the current world.':
    'En este equipo no hay ningún lote {} de este usuario para {} y el mundo actual de ese servicio.',
  'No batch {} on this machine.': 'En este equipo no hay ningún lote {}.',
  'To find the name of the batch': 'Para buscar el nombre del lote',

  // Lists of batches, and a batch with its rows
  'No batches on this machine.': 'En este equipo no hay lotes.',
  '{}; at {}': '{} ({})',
  'emulator {}': 'emulador {}',
  'emulator {}, world {}': 'emulador {}, mundo {}',
  '{}: its world is gone': '{}: su mundo ya no existe',
  'The rows of the batch are in {}.': 'Las filas del lote están en {}.',
  '{} batches of different users or worlds have this name; payctl shows the newest for this service, or else the newest of all.':
    '{} lotes de usuarios o mundos distintos tienen este nombre; se muestra el más reciente de este servicio o, si no hay, el más reciente de todos.',
  'Reading the payments of batch {}': 'Consultando los pagos del lote {}',
  'The service could not be asked, so the rows are as last read: {}.':
    'No se pudo consultar al servicio, así que las filas están como se leyeron la última vez: {}.',
  'The batch belongs to another user, service or world: its rows are as last read.':
    'El lote es de otro usuario, servicio o mundo: las filas están como se leyeron la última vez.',
  '1 receipt in {}.': '1 comprobante en {}.',
  '{} receipts in {}.': '{} comprobantes en {}.',
  'The payments could not be read: no receipt was written.':
    'No se pudieron consultar los pagos: no se escribió ningún comprobante.',
  'Name a file that can be written.': 'Indique un archivo en el que se pueda escribir.',
  "The folder {} can't be made: {}.": 'No se puede crear la carpeta {}: {}.',
  'File {} already exists. It was left unchanged.': 'El archivo {} ya existe. Se dejó como estaba.',
  'Name another, or add --force': 'Indique otro, o agregue --force',

  // Columns
  line: 'línea',
  to: 'para',
  batch: 'lote',
  when: 'fecha',
  file: 'archivo',
  rows: 'filas',
  total: 'suma',
  holder: 'titular',
  name: 'nombre',
  money: 'dinero',
  error: 'motivo',
  intent: 'intento de pago',
  'payment id': 'id del pago',
  'sinpe reference': 'referencia SINPE',
  'sent before': 'enviadas antes',
  'to send': 'por enviar',
  'in progress': 'en proceso',
  unsuccessful: 'fallidas',
  rejected: 'rechazado',
  'not sent': 'sin enviar',
  not_sent: 'sin enviar',
  warnings: 'advertencias',
} as const satisfies Catalogue
