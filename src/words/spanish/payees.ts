import type { Catalogue } from '../text.ts'

/** Saved payees. */
export const payees = {
  'No payees.': 'No hay destinatarios guardados.',
  'Save one': 'Para guardar uno',
  service: 'servicio',
  note: 'nota',
  'verified at': 'verificado',
  result: 'resultado',
  'holder now': 'titular actual',
  same: 'igual',
  first: 'primera vez',
  changed: 'cambió',
  not_told: 'sin nombre',
  '"{}" can\'t be the name of a payee: {}.': '"{}" no puede ser el nombre de un destinatario: {}.',
  'Give a name like proveedor-luz': 'Indique un nombre como proveedor-luz',
  'a name has letters, digits and dashes only': 'un nombre solo tiene letras, dígitos y guiones',
  'a name begins with a letter or a digit': 'un nombre empieza con una letra o un dígito',
  'a name has at least one letter': 'un nombre tiene al menos una letra',
  'last stands for the newest payment': 'last es el pago más reciente',
  'Payee {} already exists, {}. Nothing was saved.': 'El destinatario {} ya existe ({}). No se guardó nada.',
  'Payee {} already exists, {}, and {} is too similar. Nothing was saved.':
    'El destinatario {} ya existe ({}), y {} se parece demasiado. No se guardó nada.',
  'Use another name, or remove the saved payee first': 'Use otro nombre, o quite primero el destinatario guardado',
  'The service does not name the holder. Nothing was saved.': 'El servicio no indica el titular. No se guardó nada.',
  'Add --unverified to save the payee anyway': 'Agregue --unverified para guardar el destinatario de todos modos',
  'To verify the payee later': 'Para verificarlo después',
  'Not verified: {}.': 'Sin verificar: {}.',
  "The account is {}: it can't be paid now.": 'La cuenta está {}: por ahora no puede recibir pagos.',
  'The holder differs from the saved holder: {}.': 'El titular no es el que se guardó: {}.',
  'The service names no holder of {}.': 'El servicio no indica un titular de {}.',
  'The service does not name the holder. Nothing was changed.': 'El servicio no indica el titular. No se cambió nada.',
  'The holder of {} has changed: it was "{}", and is "{}" now. Only a person at a terminal can accept that. Nothing was changed.':
    'El titular de {} cambió: era "{}" y ahora es "{}". Solo una persona en una terminal puede aceptarlo. No se cambió nada.',
  'Ask the payee, then run the command at a terminal': 'Consulte al destinatario y ejecute el comando en una terminal',
  '{} ({}) was held by {}, and is held by {} now. Is that right?':
    '{} ({}) estaba a nombre de {} y ahora está a nombre de {}. ¿Es correcto?',
  'nothing was changed': 'no se cambió nada',
  'Payee {} already exists. Nothing was changed.': 'El destinatario {} ya existe. No se cambió nada.',
  'The payee {} has just been removed by another payctl.': 'Otro payctl acaba de quitar el destinatario {}.',
  'The payee {} has just been changed by another payctl.': 'Otro payctl acaba de cambiar el destinatario {}.',
  "This would remove {}, and payctl can't ask without a terminal. Nothing was removed.":
    'Este comando quitaría {}, y payctl no puede preguntar sin una terminal. No se quitó nada.',
  'Add --yes to remove it without being asked': 'Agregue --yes para quitarlo sin preguntas',
  "This would delete {}, and payctl can't ask without a terminal. Nothing was deleted.":
    'Este comando eliminaría {}, y payctl no puede preguntar sin una terminal. No se eliminó nada.',
  'Add --yes to delete it without being asked': 'Agregue --yes para eliminarlo sin preguntas',
  'Remove {} ({}, {})?': '¿Quitar {} ({}, {})?',
  'not verified': 'sin verificar',

  // Spreadsheets of payees
  'Wrote {} to {}.': 'Se escribió {} en {}.',
  'Saved {}.': (payees) => (payees.startsWith('1 ') ? `Se guardó ${payees}.` : `Se guardaron ${payees}.`),
  'The file has no payees.': 'El archivo no tiene destinatarios.',
  action: 'acción',
  add: 'agregar',
  change: 'cambiar',
  replace: 'reemplazar',
  keep: 'sin cambios',
  refuse: 'rechazar',
  "This command saves payees, and can't ask without a terminal. Nothing was saved.":
    'Este comando guarda destinatarios y sin una terminal no puede preguntar. No se guardó nada.',
  'Add --yes to save them without being asked, or --dry-run':
    'Agregue --yes para guardarlos sin preguntas, o --dry-run',
  'Refused, and not saved: {}.': 'Rechazado y sin guardar: {}.',
  'Ask those payees for the right holder, and correct the file':
    'Pregúnteles a esos destinatarios quién es el titular correcto, y corrija el archivo',
  'there is a payee {}, and {} is too similar': 'hay un destinatario {}, y {} se parece demasiado',
  'the note was "{}"': 'la nota era "{}"',
  'its holder was not verified': 'el titular no estaba verificado',
  'it was {}, held by {}': 'era {}, a nombre de {}',
  'nobody knows whom': 'no se sabe quién',
  'it is held by "{}", not by "{}"': 'está a nombre de "{}", no de "{}"',
  'the service does not name the holder': 'el servicio no indica el titular',
  'The file has another IBAN or phone for {}. Only a person at a terminal can accept that. Nothing was saved.':
    'El archivo tiene otra cuenta IBAN u otro teléfono de {}. Solo una persona en una terminal puede aceptarlo. No se guardó nada.',
  'Ask the payees, then run the command at a terminal':
    'Consulte a los destinatarios y ejecute el comando en una terminal',
  'nothing was saved': 'no se guardó nada',
  'Pay {} ({}) as {} from now on? Until now {}.': '¿Pagar desde ahora a {} ({}) como {}? Hasta ahora {}.',
  'Save {}?': '¿Guardar {}?',
  'The payee {} has just been changed by another payctl. Nothing was saved.':
    'Otro payctl acaba de cambiar el destinatario {}. No se guardó nada.',
  '{} has no headings "name" and "to" (or "iban", "phone"). Nothing was saved.':
    '{} no tiene los encabezados "nombre" y "para" (o "iban", "teléfono"). No se guardó nada.',
  '{} The file has other sheets: {}.': '{} El archivo tiene otras hojas: {}.',
  'Give the file the headings name, to, holder and note; the last two are optional':
    'Ponga en el archivo los encabezados "nombre", "para", "titular" y "nota"; los dos últimos son opcionales',
  '{} is in an earlier row': '{} está en una fila anterior',
  '1 row is wrong. Nothing was saved.': '1 fila tiene errores. No se guardó nada.',
  '{} rows are wrong. Nothing was saved.': '{} filas tienen errores. No se guardó nada.',
  'the row is hidden: show it or delete it': 'la fila está oculta: muéstrela o bórrela',
  'it has a formula: paste its value': 'tiene una fórmula: pegue su valor',
  'it must have one IBAN or phone': 'debe tener una cuenta IBAN o un teléfono',
  'the name is missing': 'falta el nombre',
  'nothing was removed': 'no se quitó nada',
} as const satisfies Catalogue
