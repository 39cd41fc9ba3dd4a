import type { Catalogue } from '../../text.ts'

/** `payees` and its subcommands; also `phone`, `iban` and `lookup`. */
export const holders = {
  'Save payees by name, and send to them': 'Guarda destinatarios por nombre, para enviarles pagos',
  'Save payees by name, each with the name of its holder as the service gave it, and send to them: --to proveedor-luz. Nothing is sent if the holder’s name differs from the saved name. A payee is saved for one service; all emulators of this machine share their payees.':
    'Guarda destinatarios por nombre, cada uno con su titular como lo indicó el servicio, para enviarles pagos: --to proveedor-luz. No se envía nada si el nombre del titular es distinto del guardado. Un destinatario se guarda para un servicio; todos los emuladores de este equipo comparten sus destinatarios.',
  'List them': 'Los muestra todos',
  'Show one': 'Muestra uno',
  'Look up a payee and save it': 'Consulta un destinatario y lo guarda',
  'Compare the saved holders with the current holders': 'Compara los titulares guardados con los actuales',
  'Accept another holder, or change the note': 'Acepta otro titular, o cambia la nota',
  'Rename one': 'Cambia el nombre de uno',
  'Save the payees of a spreadsheet': 'Guarda los destinatarios de una hoja de cálculo',
  'Write the payees to a spreadsheet': 'Escribe los destinatarios en una hoja de cálculo',
  'Remove one': 'Borra uno',
  'List the payees that are saved for the service of this run':
    'Muestra los destinatarios guardados para el servicio de este comando',
  'list the payees of every service': 'muestra los destinatarios de todos los servicios',
  'Show one payee': 'Muestra un destinatario',
  'name of a saved payee': 'nombre de un destinatario guardado',
  'Look up the holder of an IBAN or a phone, and save the payee under a name: letters of any language, digits and dashes. The holder’s name is saved as the service gives it, and compared with the current name before each payment.':
    'Consulta el titular de una cuenta IBAN o de un teléfono, y guarda la cuenta o el teléfono con un nombre: letras de cualquier idioma, dígitos y guiones. El titular se guarda como lo indica el servicio, y se compara antes de cada pago.',
  'the name to write after --to, in upper or lower case':
    'el nombre que se escribe después de --to, en mayúsculas o minúsculas',
  'the IBAN or phone; spaces and dashes are allowed': 'la cuenta IBAN o el teléfono; se permiten espacios y guiones',
  'a note for yourself': 'una nota para usted',
  'save the payee even if the holder can’t be looked up; until payctl payees verify has found the holder, only a person can send to the payee':
    'guarda el destinatario aunque no se pueda consultar el titular; antes de payctl payees verify, solo una persona le puede enviar pagos',
  'Look payees up and compare their holders with the saved holders. If a payee was saved unverified, its holder is saved now. A changed holder is reported, and not saved. Exit 6: a holder has changed; 3: the service names no holder for a payee.':
    'Consulta los destinatarios y compara sus titulares con los guardados. Si un destinatario se guardó sin verificar, ahora se guarda su titular. Si un titular cambió, se informa, y no se guarda. Código de salida 6: algún titular cambió; 3: el servicio no indica el titular de un destinatario.',
  'saved payees (default: all payees of this service)':
    'destinatarios guardados (predeterminado: todos los de este servicio)',
  'Look a payee up again. Only a person at a terminal can accept a changed holder: ask the payee first, through a contact that you know. For another IBAN or phone, save a new payee.':
    'Consulta un destinatario otra vez. Solo una persona en una terminal puede aceptar otro titular: pregúntele antes al destinatario, por un medio que usted conozca. Para otra cuenta IBAN u otro teléfono, guarde un destinatario nuevo.',
  'Rename a payee. Earlier payments do not change.':
    'Cambia el nombre de un destinatario. Los pagos anteriores no cambian.',
  'new name of the payee': 'el nombre nuevo',
  'Save the payees of a spreadsheet (.csv or .xlsx) with the headings name, to (IBAN or phone; or iban and phone), and optionally holder and note. Checks every row, looks up the holders, shows the changes, and asks. A payee whose holder differs from the holder in the file is refused. Only a person can give a saved name another IBAN or phone. Exit 6: payees were refused; the others are saved.':
    'Guarda los destinatarios de una hoja de cálculo (.csv o .xlsx) con los encabezados name, to (cuenta IBAN o teléfono; o iban y phone) y, si se quiere, holder y note. Revisa todas las filas, consulta los titulares, muestra los cambios y pregunta. Se rechaza un destinatario si su titular es distinto del que dice el archivo. Solo una persona puede asignar otra cuenta IBAN u otro teléfono a un nombre guardado. Código de salida 6: se rechazaron destinatarios; los demás se guardan.',
  'the spreadsheet': 'la hoja de cálculo',
  'sheet of an .xlsx file (default: the first visible sheet)': 'hoja del .xlsx (predeterminado: la primera visible)',
  'save nothing': 'no guarda nada',
  'Write the payees of this service to a spreadsheet that payctl payees import reads, or print them.':
    'Escribe los destinatarios de este servicio en una hoja de cálculo que payctl payees import puede leer, o los muestra.',
  'file to write: .xlsx or CSV, by the ending of its name (default: stdout)':
    'archivo que se escribe, .xlsx o CSV según su nombre (predeterminado: stdout)',
  'Remove a payee, after asking': 'Borra un destinatario, después de preguntar',

  // phone, iban
  'Show the holder of a phone number (SINPE Móvil)': 'Muestra el titular de un teléfono (SINPE Móvil)',
  'Show the holder of a phone number, and the bank that receives SINPE Móvil payments to it.':
    'Muestra el titular de un teléfono, y el banco que recibe los pagos por SINPE Móvil a ese teléfono.',
  'phone numbers, with or without spaces, dashes and +506; or names of saved payees':
    'teléfonos, con o sin espacios, guiones y +506; o nombres de destinatarios guardados',
  'Show the holder of an IBAN': 'Muestra el titular de una cuenta IBAN',
  'Show the holder of an IBAN, and the entity of the account.':
    'Muestra el titular de una cuenta IBAN, y la entidad de la cuenta.',
  'IBANs, with or without spaces; or names of saved payees':
    'cuentas IBAN, con o sin espacios; o nombres de destinatarios guardados',
  'file of values, one per line; # begins a comment': 'archivo de valores, uno por línea; con # empieza un comentario',
  'requests at a time, 1 to 32': 'solicitudes a la vez, de 1 a 32',
  'A single value that is given as an argument is shown in full. Several values, and the lines of - (stdin), a pipe or --file, get a row each, in order. The status says if a value was not found or is not valid, and the reason follows. The words of one value need no quotes: 8888 7777.':
    'Un solo valor como argumento se muestra completo. Varios valores, y las líneas de - (stdin), de una tubería o de --file, se muestran uno por fila, en orden. Si un valor no se encuentra o no es válido, su estado lo indica, con el motivo. Un valor con espacios no necesita comillas: 8888 7777.',
  'Exit 0: all found. 3: some not found. 2: at least one is not valid, whether or not others were found. Any other failure ends the run with the exit code of that failure, after the rows before it.':
    'Código de salida 0: se encontraron todos. 3: algunos no se encontraron. 2: al menos uno no es válido, se encuentren o no los demás. Cualquier otra falla termina el comando con su propio código, después de las filas anteriores.',

  // lookup
  'Show the holders of phones and IBANs, typed or in a spreadsheet':
    'Consulta titulares: por teléfono, IBAN u hoja de cálculo',
  'Show the holders of phones and IBANs, or write a copy of a spreadsheet with the holders of its phones and IBANs in new columns. Without arguments, at a terminal, payctl asks for one value after another.':
    'Muestra los titulares de teléfonos y cuentas IBAN, o los agrega en columnas nuevas a una copia de una hoja de cálculo. En una terminal, sin argumentos, pide un valor tras otro.',
  'phones and IBANs, with or without spaces; names of saved payees; or one file':
    'teléfonos y cuentas IBAN, con o sin espacios; nombres de destinatarios guardados; o un archivo',
  'spreadsheet: .xlsx, or CSV of any kind; - is stdin': 'hoja de cálculo: .xlsx, o cualquier CSV; - es stdin',
  'heading of a column to look up, or its position: 3, C. Repeatable':
    'encabezado de la columna que se consulta, o su posición: 3, C. Se puede repetir',
  'column of names to compare with the holders': 'columna de nombres, para comparar con los titulares',
  'column of identity documents to compare with the holders': 'columna de documentos, para comparar con los titulares',
  'the first row is not a heading': 'la primera fila no es de encabezados',
  'file to write: .xlsx or CSV, by the ending of its name (default: <name>-lookup, next to the source)':
    'archivo que se escribe, .xlsx o CSV según su nombre (predeterminado: <nombre>-lookup, junto al original)',
  'replace an existing file; never the source': 'reemplaza un archivo existente; nunca el original',
  'time for which answers are saved for later runs, or none':
    'tiempo que se guardan las respuestas, o none: no se guardan',
  'Order, columns, blank lines, separator and encoding do not change. For each column looked up, the copy has holder, document, entity, currency, status and reason; with --name and --document also the match (yes, partly, no) and the difference. If you repeat an interrupted run, it continues where it stopped.':
    'El orden, las columnas, las líneas vacías, el separador y la codificación no cambian. Por cada columna consultada, la copia agrega holder, document, entity, currency, status y reason; con --name y --document, también si coinciden (yes, partly, no) y la diferencia. Si el comando se interrumpe, repítalo: continúa donde quedó.',
  'Exit 0: all found. 2: some are not a phone or IBAN. 3: some are not registered. 6: some names or documents differ. 12: the service failed for some values; repeat with --force to look those up again.':
    'Código de salida 0: se encontraron todos. 2: algunos no son un teléfono ni una cuenta IBAN. 3: algunos no están registrados. 6: algunos nombres o documentos no coinciden. 12: el servicio falló con algunos; consúltelos otra vez con --force.',
} as const satisfies Catalogue
