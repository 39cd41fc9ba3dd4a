import type { Catalogue } from '../text.ts'

/** The journal of payments: payments in doubt, and the list of what this machine has sent. */
export const journal = {
  // To resume payments
  'Finding the outcome of {}, sent {}': 'Buscando el resultado de {}, que se envió {}',
  'Finding the outcome of {} {}': 'Buscando el resultado de {} {}',
  'No payment is in doubt.': 'No hay pagos sin confirmar.',
  'No payment is in doubt {}.': 'No hay pagos sin confirmar {}.',
  'The limits of profile {} allow reading only: payctl reads the history, and sends nothing again.':
    'Los límites del perfil {} solo permiten consultar: payctl lee el historial y no envía nada otra vez.',
  'The service refused {}: {}. No money moved, so there is nothing to resume.':
    'El servicio rechazó {}: {}. No se movió dinero, así que no hay nada que retomar.',
  'The service has not accepted the payment.': 'El servicio no ha aceptado el pago.',
  'Add --yes to {}': 'Agregue --yes para {}',
  'send it without being asked': 'enviarlo sin preguntas',
  '1 was made for another service': '1 pago se hizo para otro servicio',
  '{} were made for another service': '{} pagos se hicieron para otro servicio',
  '1 was made by another user of this service, who alone can resume it':
    '1 pago lo hizo otro usuario de este servicio, el único que puede retomarlo',
  '{} were made by another user of this service, who alone can resume them':
    '{} pagos los hizo otro usuario de este servicio, el único que puede retomarlos',
  '1 was made in an emulator world that is gone: that payment existed only there':
    '1 pago se hizo en un mundo de emulador que ya no existe: ese pago existía solo allí',
  '{} were made in an emulator world that is gone: those payments existed only there':
    '{} pagos se hicieron en un mundo de emulador que ya no existe: esos pagos existían solo allí',
  '{} The rows could not be written: {}.': '{} No se pudieron escribir las filas: {}.',
  'The outcome of {} of {} is still unknown: money may have moved.': (some, all) =>
    `${some} de ${all} ${some === '1' ? 'sigue' : 'siguen'} sin confirmar: es posible que el dinero se haya movido.`,
  'Made, but ended without paying: {} of {}.': (some, all) =>
    `${some} de ${all} se ${some === '1' ? 'hizo y terminó' : 'hicieron y terminaron'} sin pagarse.`,
  'The service refused {} of {}: no money moved for the refused payments.': (some, all) =>
    `El servicio rechazó ${some} de ${all}; por ${some === '1' ? 'ese' : 'esos'} no se movió dinero.`,
  'The outcome of {} is known.': 'Se conoce el resultado de {}.',
  'An intent and --batch name two things to resume.': 'Un intento de pago y --batch indican dos cosas que retomar.',
  '--output-file is only for the rows of a batch.': '--output-file es solo para las filas de un lote.',
  'Add --batch <name>': 'Agregue --batch <nombre>',
  '--columns chooses columns of a list, but this is one payment.':
    '--columns elige columnas de una lista, y este es un solo pago.',
  '{} was sent to {} when no emulator answered there, but now one does. Nothing was sent.':
    '{} se envió a {} cuando allí no respondía un emulador, y ahora sí. No se envió nada.',
  '{} was sent to {} when an emulator answered there, but now none does. Nothing was sent.':
    '{} se envió a {} cuando allí respondía un emulador, y ahora no. No se envió nada.',
  'Resume it once the earlier service is there again': 'Retómelo cuando el servicio anterior esté otra vez allí',
  'The token now belongs to {}, but this run began as {}. Nothing more was sent.':
    'El token ahora es de {}, pero este comando empezó como {}. No se envió nada más.',
  'a user whom the service does not name': 'un usuario que el servicio no nombra',
  'a user without a readable name': 'un usuario sin nombre legible',
  'Use a token of this run’s user again, and resume what the run left unfinished':
    'Use otra vez un token del usuario de este comando, y retome lo que quedó pendiente',
  'The token has changed, and the service does not say whose it is now: {}. Nothing more was sent.':
    'El token cambió, y el servicio no dice de quién es ahora: {}. No se envió nada más.',
  'Resume what this run left unfinished once the service says who the user is':
    'Retome lo que quedó pendiente cuando el servicio indique quién es el usuario',

  // The list of payments requested on this machine
  'No intents.': 'No hay intentos de pago.',
  'No intent {} on this machine.': 'En este equipo no hay ningún intento de pago {}.',
  '{} of {} intents, the newest. More: --limit <n>, --all':
    'Intentos de pago mostrados, los más recientes: {} de {}. Para ver más: --limit <n>, --all',
  'Left out: 1 intent of a world that is gone. To see it: --all':
    'Sin mostrar: 1 intento de pago de un mundo que ya no existe. Para verlo: --all',
  'Left out: {} intents of worlds that are gone. To see them: --all':
    'Sin mostrar: {} intentos de pago de mundos que ya no existen. Para verlos: --all',
  '--sort needs the whole list, but --limit selects a part.':
    '--sort necesita la lista completa, pero --limit selecciona solo una parte.',
  '--status and --unsettled both choose by status.': 'Tanto --status como --unsettled eligen por estado.',
  '--limit and --all can’t be combined.': '--limit y --all se contradicen.',
  prepared: 'preparado',
  settled: 'aceptado',
  payment: 'pago',
  where: 'dónde',
  user: 'usuario',
  world: 'mundo',
  'created at': 'creado',
  'updated at': 'actualizado',
  'payment status': 'estado del pago',
  'source account id': 'cuenta de origen',
  'base url': 'servicio',
  'world status': 'estado del mundo',
  running: 'activo',
  gone: 'ya no existe',
  'not running': 'apagado',
} as const satisfies Catalogue
