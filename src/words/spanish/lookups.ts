import type { Catalogue } from '../text.ts'

/**
 * Lookups of the holders of phones and IBANs: single values, lists of values and spreadsheets. Also exchange rates and
 * the user.
 */
export const lookups = {
  // Questions, and values that are missing
  'Which number?': '¿Cuál teléfono?',
  'Which IBAN?': '¿Cuál cuenta IBAN?',
  'Which value?': '¿Cuál teléfono o cuenta IBAN?',
  '{} looks like an IBAN, not like a phone.': '{} parece una cuenta IBAN, no un teléfono.',
  '{} looks like a phone, not like an IBAN.': '{} parece un teléfono, no una cuenta IBAN.',
  'Phone, IBAN or file (Enter ends):': 'Teléfono, cuenta IBAN o archivo (Enter para terminar):',
  "missing required argument 'number'.": 'Falta el teléfono.',
  "missing required argument 'IBAN'.": 'Falta la cuenta IBAN.',
  "missing required argument 'value'.": 'Falta el teléfono o la cuenta IBAN.',
  'Add a number, like 8888-7777, or read many with --file or -':
    'Agregue un teléfono, por ejemplo 8888-7777, o indique varios con --file o -',
  'Add an IBAN, like CR05015202001026284066, or read many with --file or -':
    'Agregue una cuenta IBAN, por ejemplo CR05015202001026284066, o indique varias con --file o -',
  'Add a value, like 8888-7777, or name a spreadsheet':
    'Agregue un valor, por ejemplo 8888-7777, o indique una hoja de cálculo',
  '--file and arguments both name numbers.': 'Hay teléfonos tanto en --file como en los argumentos.',
  '--file and arguments both name IBANs.': 'Hay cuentas IBAN tanto en --file como en los argumentos.',
  '--file and arguments both name values.': 'Hay valores tanto en --file como en los argumentos.',
  '{} is saved with a phone, not an IBAN.': '{} está guardado con un teléfono, no con una cuenta IBAN.',
  '{} is saved with an IBAN, not a phone.': '{} está guardado con una cuenta IBAN, no con un teléfono.',
  '{} can be read in two ways: {}.': '{} se puede leer de dos maneras: {}.',
  'Quote the words that belong together, or put a comma between two values':
    'Ponga entre comillas lo que va junto, o separe los valores con una coma',
  '{}, or {}': '{}, o {}',
  'the phone {}': 'el teléfono {}',
  'the IBAN {}': 'la cuenta IBAN {}',
  'the payee {}': 'el destinatario {}',

  // Holders
  'document number': 'documento',
  'entity name': 'entidad',
  bank: 'entidad',
  'country code': 'país',
  'phone number': 'teléfono',
  'phone or iban': 'teléfono o cuenta IBAN',
  iban: 'cuenta IBAN',
  reason: 'motivo',
  registered: 'registrado',
  not_found: 'sin registro',
  invalid: 'no válido',
  '{} is not a registered IBAN.': 'La cuenta IBAN {} no está registrada.',
  '{} is not registered in SINPE Móvil.': '{} no está registrado en SINPE Móvil.',

  // Exchange rates, and the user
  bid: 'compra',
  ask: 'venta',
  'last updated, local time': 'actualizado',
  '{} This service’s rate provider may have a name other than {}.':
    '{} Es posible que este servicio use otro nombre para su proveedor del tipo de cambio, en vez de {}.',
  'Name the provider for this run with --provider <name>. For all runs':
    'Indique el proveedor para este comando con --provider <nombre>. Para todos los comandos',
  'email verified at': 'verificado',

  // Lists
  '1 number': '1 teléfono',
  '{} numbers': '{} teléfonos',
  '1 IBAN': '1 cuenta IBAN',
  '{} IBANs': '{} cuentas IBAN',
  '1 value': '1 valor',
  '{} values': '{} valores',
  '{}: {} found, {} not found': '{}: {} con titular, {} sin titular',
  '{}: {} found, {} not found, {} invalid': (values, found, none, invalid) =>
    `${values}: ${found} con titular, ${none} sin titular, ${invalid} ${invalid === '1' ? 'no válido' : 'no válidos'}`,
  'Stopped after {}.': 'Se detuvo después de {}.',
  'No numbers to look up.': 'No hay teléfonos que consultar.',
  'No IBANs to look up.': 'No hay cuentas IBAN que consultar.',
  'No values to look up.': 'No hay valores que consultar.',
  '{} of {} invalid.': (invalid, all) => `${invalid} de ${all} no ${invalid === '1' ? 'es válido' : 'son válidos'}.`,
  '{} of {} invalid. {} not found.': (invalid, all, none) =>
    `${invalid} de ${all} no ${invalid === '1' ? 'es válido' : 'son válidos'}. ${none} sin titular.`,
  '{} of {} not found.': '{} de {} sin titular.',
  '1 more number has the status invalid.': 'Hay 1 más con el estado «no válido».',
  '{} more numbers have the status invalid.': 'Hay {} más con el estado «no válido».',
  '1 more IBAN has the status invalid.': 'Hay 1 más con el estado «no válido».',
  '{} more IBANs have the status invalid.': 'Hay {} más con el estado «no válido».',
  '1 more value has the status invalid.': 'Hay 1 más con el estado «no válido».',
  '{} more values have the status invalid.': 'Hay {} más con el estado «no válido».',
  '{} is a spreadsheet, not a list of values.': '{} es una hoja de cálculo, no una lista de valores.',
  'A line has more than {} characters.': 'Una línea tiene más de {} caracteres.',
  'Give a text file with one value on each line': 'Indique un archivo de texto con un valor por línea',
  'Give --file the path of a text file with one value per line':
    'Indique en --file un archivo de texto, con un valor por línea',

  // Spreadsheets
  '{} is a file, not a number.': '{} es un archivo, no un teléfono.',
  '{} is a file, not an IBAN.': '{} es un archivo, no una cuenta IBAN.',
  'To look up the values in the columns of the file': 'Para consultar los valores de las columnas',
  '{} is a file here, and also a saved payee: to look up the payee, use the phone or iban command.':
    '{} es un archivo y también un destinatario guardado: para consultar el destinatario, use el comando phone o iban.',
  '{} is a file here, and also a phone or an IBAN: to look up the value, use the phone or iban command.':
    '{} es un archivo y también un teléfono o una cuenta IBAN: para consultar ese valor, use el comando phone o iban.',
  'For the file': 'Para el archivo',
  'File {} does not exist.': 'No existe el archivo {}.',
  'Name a spreadsheet, or phones and IBANs': 'Indique una hoja de cálculo, o teléfonos y cuentas IBAN',
  '{} is a file, and {} is not part of its name.': '{} es un archivo, y {} no es parte de su nombre.',
  '{} is for a spreadsheet, but no spreadsheet is named.': '{} es para una hoja de cálculo, y no se indicó ninguna.',
  'To replace it': 'Para reemplazarlo',
  'Name a spreadsheet': 'Indique una hoja de cálculo',
  'Name another spreadsheet': 'Indique otra hoja de cálculo',
  'The file has no rows.': 'El archivo no tiene filas.',
  'Input from stdin has no file name.': 'Los datos de la entrada estándar no tienen nombre de archivo.',
  'Name the result with --output-file <path>': 'Indique el archivo del resultado con --output-file <ruta>',
  '{} The sheet {} was read; the file also has: {}.': '{} Se leyó la hoja {}; el archivo también tiene: {}.',
  'Sheet {} is read; the file also has: {}. Choose a sheet with --sheet.':
    'Se lee la hoja {}; el archivo también tiene: {}. Elija una hoja con --sheet.',
  'The file is read as {}.': 'El archivo se lee como {}.',
  'Hidden in the sheet, but read and written: {}.': 'Oculto en la hoja, pero se lee y se escribe: {}.',
  'the column {}': 'la columna {}',
  'the columns {}': 'las columnas {}',
  'No column is recognised as phones or IBANs. The columns are: {}.':
    'Ninguna columna parece tener teléfonos o cuentas IBAN. Las columnas son: {}.',
  "Name the column: --column '{}'": "Indíquela: --column '{}'",
  'The file changed while its values were looked up.': 'El archivo cambió mientras se consultaban los valores.',
  'Run the command again': 'Ejecute el comando otra vez',

  // Progress and result
  '{} found': '{} con titular',
  '{} not registered': '{} sin registro',
  '{} refused': (refused) => `${refused} ${refused === '1' ? 'rechazado' : 'rechazados'}`,
  '{} failed': '{} con error del servicio',
  '{} not a phone or IBAN ({})': (count, lines) =>
    `${count} no ${count === '1' ? 'es' : 'son'} teléfono ni cuenta IBAN (${lines})`,
  'Names fit: {}': 'Nombres: {}',
  'Documents fit: {}': 'Documentos: {}',
  '{} yes': (count) => (count === '1' ? '1 coincide' : `${count} coinciden`),
  '{} partly': (count) => (count === '1' ? '1 coincide en parte' : `${count} coinciden en parte`),
  '{} no': (count) => (count === '1' ? '1 no coincide' : `${count} no coinciden`),
  '{} not compared': '{} sin comparar',
  'your column': 'su columna',
  'your {} columns': 'sus {} columnas',
  'Written: {} ({} and {} more)': 'Se escribió {} ({} y {} más)',
  'Written: {} ({} and {} more, {})': 'Se escribió {} ({} y {} más, {})',
  'Values for which the service failed: {} of {}.': 'Valores en los que falló el servicio: {} de {}.',
  'Repeat the command with --force: only those values are looked up again':
    'Repita el comando con --force: solo se consultan esos valores',
  'Repeat the command with --force': 'Repita el comando con --force',
  '1 of {} values is not a phone or an IBAN.': '1 de {} valores no es un teléfono ni una cuenta IBAN.',
  '{} of {} values are not a phone or an IBAN.': '{} de {} valores no son un teléfono ni una cuenta IBAN.',
  'The reason column says why': 'La columna reason indica por qué',
  "{} can't be written: an interrupted run must start from the beginning.":
    'No se puede escribir en {}: si el comando se interrumpe, habrá que empezar desde el principio.',
  'Continuing where a run stopped. Values already answered: {} of {}.':
    'Se continúa donde quedó la consulta anterior. Valores que ya tienen respuesta: {} de {}.',
  '1 answer is from another run.': '1 respuesta es de una consulta anterior.',
  '{} answers are from other runs.': '{} respuestas son de consultas anteriores.',
  '--cache none asks again.': 'Con --cache none se consulta otra vez.',
  'Stopped with {} of {} answered. Run the command again: it continues from there.':
    'Se detuvo con {} de {} valores respondidos. Ejecute el comando otra vez: continúa desde ahí.',
  'The answers are saved. Run the command again: it asks only for the values without an answer.':
    'Las respuestas están guardadas. Ejecute el comando otra vez: solo consulta los valores sin respuesta.',
  'Make room, or name another folder in PAYCTL_STATE_DIR': 'Libere espacio, o indique otra carpeta en PAYCTL_STATE_DIR',
} as const satisfies Catalogue
