import type { Catalogue } from '../text.ts'

/** Comparison of a holder with the expected name or document, also of the holder of a saved payee. */
export const holders = {
  Expected: 'Esperado',
  Document: 'Documento',
  'another name': 'otro nombre',
  'partly the same ({})': 'coincide en parte ({})',
  'without {}': 'sin {}',
  'also {}': 'con {}',
  '{} for {}': '{} por {}',
  '{}; the document fits': '{}; el documento coincide',
  'not compared: {}': 'sin comparar: {}',
  'the service hides it': 'el servicio lo oculta',
  'the service does not give it': 'el servicio no lo indica',
  'the service answered {}': 'el servicio respondió {}',
  'the service answered with {}': 'el servicio respondió con {}',
  'The service was asked who holds {}, but answered with {}.':
    'No se pudo consultar el titular de {}: el servicio respondió con {}.',
  'Try again later': 'Inténtelo más tarde',
  '{} is held by "{}", not by "{}" as expected. Nothing was sent.':
    '{} está a nombre de "{}", no de "{}". No se envió nada.',
  'The holder of {} ({}) has changed: it was "{}", and is "{}" now. Nothing was sent.':
    'El titular de {} ({}) cambió: era "{}" y ahora es "{}". No se envió nada.',
  '{} is held by "{}", only a partial match for the expected "{}": {}. Nothing was sent.':
    '{} está a nombre de "{}", que coincide solo en parte con "{}": {}. No se envió nada.',
  '{} has the expected document, but is held by "{}", not by "{}". Nothing was sent.':
    '{} tiene el documento esperado, pero está a nombre de "{}", no de "{}". No se envió nada.',
  'The holder of {} has the document {}, not {} as expected. Nothing was sent.':
    'El titular de {} tiene el documento {}, no {}. No se envió nada.',
  '{} has no holder ({}), so the name could not be compared. Nothing was sent.':
    '{} no tiene titular ({}), así que no se pudo comparar el nombre. No se envió nada.',
  '{} has no holder ({}), so the document could not be compared. Nothing was sent.':
    '{} no tiene titular ({}), así que no se pudo comparar el documento. No se envió nada.',
  "The holder's name for {} could not be compared: {}. Nothing was sent.":
    'No se pudo comparar el nombre del titular de {}: {}. No se envió nada.',
  "The holder's document for {} could not be compared: {}. Nothing was sent.":
    'No se pudo comparar el documento del titular de {}: {}. No se envió nada.',
  'Ask the payee, and give the name as the service has it':
    'Consulte al destinatario e indique el nombre como lo tiene el servicio',
  'Ask the payee for the account and the document': 'Pídale al destinatario la cuenta y el documento',
  'Ask the payee for the phone': 'Pídale el teléfono al destinatario',
  'Ask the payee for the IBAN': 'Pídale la cuenta IBAN al destinatario',
  'Try again later, or leave the name out if it need not be compared':
    'Inténtelo más tarde, o quite el nombre si no hace falta compararlo',
  'Give the name to compare instead': 'Indique en su lugar el nombre que se debe comparar',
  'Warning: {}.': 'Advertencia: {}.',
  'The payee {} has not been verified: its holder is not known. Nothing was sent.':
    'El destinatario {} no se ha verificado: no se sabe quién es el titular. No se envió nada.',
  '{} has not been verified: compare the name that the service gives.':
    '{} no se ha verificado: compare el nombre que indica el servicio.',
  'No payee "{}" is saved for {}.': 'No hay ningún destinatario "{}" guardado para {}.',
  'the emulator': 'el emulador',
  '(not verified)': '(sin verificar)',
} as const satisfies Catalogue
