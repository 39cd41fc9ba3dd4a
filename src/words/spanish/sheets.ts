import type { Catalogue } from '../text.ts'

/** Spreadsheets and CSV files, and the files that a command writes. */
export const sheets = {
  // Headings and columns
  'Columns as confirmed before: {}.': 'Columnas como se confirmaron antes: {}.',
  'Columns read by their headings: {}.': 'Columnas reconocidas por su encabezado: {}.',
  '{}: use this?': '{}: ¿usar estas columnas?',
  'Remembered for files with these headings. To change the columns: --map':
    'Estas columnas se recordarán para estos encabezados. Para cambiarlas: --map',
  "The file already has the column '{}', but --map names another column for '{}'.":
    "El archivo ya tiene la columna '{}', pero --map indica otra columna para '{}'.",
  "The file has the column '{}' twice.": "El archivo tiene dos veces la columna '{}'.",
  'Line {} has headings, but none that payctl reads: {}.':
    'La línea {} tiene encabezados, pero ninguno que payctl conozca: {}.',
  'Say which they are: {}. At a terminal payctl asks once, and remembers the answer':
    'Indique cuáles son: {}. En una terminal, payctl pregunta una vez y recuerda la respuesta',
  'Say which it is: {}. At a terminal payctl asks once, and remembers the answer':
    'Indique cuál es: {}. En una terminal, payctl pregunta una vez y recuerda la respuesta',
  'The first line names no column that payctl reads; it begins with "{}".':
    'La primera línea no tiene ninguna columna que payctl conozca; empieza con "{}".',
  'The first line names the columns: to,amount,from and, optionally, description,currency,reference,name,document,date. Other headings: --map to=Teléfono,amount=Monto':
    'La primera línea indica las columnas: to,amount,from y, si quiere, description,currency,reference,name,document,date. Con otros encabezados: --map to=Teléfono,amount=Monto',
  'payctl does not read the column "{}".': 'payctl no lee la columna "{}".',
  'Did you mean {}? Rename it, or say so: --map {}': '¿Quiso decir {}? Cámbiele el nombre, o indíquelo así: --map {}',
  'Columns missing from the file: {}. The file has: {}.': (missing, there) =>
    `${missing.includes(',') ? 'Al archivo le faltan las columnas' : 'Al archivo le falta la columna'} ${missing}. Tiene: ${there}.`,
  'Add the column, or name one account for all rows: --from <account>':
    'Agregue la columna, o indique una cuenta para todas las filas: --from <cuenta>',
  '"{}" maps no column.': '"{}" no indica ninguna columna.',
  'Write column=heading, with one of these columns: {}': 'Escriba columna=encabezado, con una de estas columnas: {}',
  '{} is mapped twice.': 'La columna {} se indica dos veces.',
  'Name one heading for this column': 'Indique un solo encabezado para esta columna',
  'The file has a heading but no rows: nothing to pay.':
    'El archivo tiene encabezado, pero no tiene filas: no hay nada que pagar.',
  'The file is empty.': 'El archivo está vacío.',
  'The first line must name the columns: to,amount,from': 'La primera línea debe indicar las columnas: to,amount,from',
  'The sheet hides the headings in line {}, or shows them differently. Nothing was sent.':
    'La hoja oculta los encabezados de la línea {}, o los muestra de otra forma. No se envió nada.',
  'Show the row, and give its cells the format General': 'Muestre la fila, y deles a las celdas el formato General',
  'The column {} is hidden in the sheet. Nothing was sent.': 'La columna {} está oculta en la hoja. No se envió nada.',
  'The columns {} are hidden in the sheet. Nothing was sent.':
    'Las columnas {} están ocultas en la hoja. No se envió nada.',
  'Show every column that payctl uses for payments, or delete it':
    'Muestre cada columna que payctl usa para pagar, o bórrela',
  'Only the sheet {} is read, not {}.': 'Solo se lee la hoja {}, no {}.',
  'Line {} has the headings; nothing above that line is read.':
    'La línea {} tiene los encabezados; lo que está arriba no se lee.',
  'The file was read as Windows-1252.': 'El archivo se leyó como Windows-1252.',
  "The columns {} are both called '{}'.": (places, name) =>
    `Las columnas ${places.replaceAll(' and ', ' y ')} se llaman igual: '${name}'.`,
  'Name one of them by its letter': 'Indique una por su letra',
  "The file has no column '{}'. It has: {}.": "El archivo no tiene la columna '{}'. Tiene: {}.",
  'Name one of them, or give its position: 3 or C': 'Indique una de ellas, o su posición: 3, o C',
  "Did you mean '{}'?": "¿Quiso decir '{}'?",
  'Copy the cells and paste them as values, or send at a terminal without --yes: payctl then asks':
    'Copie las celdas y péguelas como valores, o envíe los pagos en una terminal sin --yes: payctl le pregunta',

  // Sheets and their forms
  "The file has no sheet '{}'. It has: {}.": "El archivo no tiene la hoja '{}'. Tiene: {}.",
  'Name one of these sheets with --sheet': 'Indique una de ellas con --sheet',
  "Did you mean --sheet '{}'?": "¿Quiso decir --sheet '{}'?",
  'The file is text and has no sheets.': 'El archivo es de texto y no tiene hojas.',
  'Leave --sheet out: it is for .xlsx files': 'Quite --sheet: es para archivos .xlsx',
  "{} can't be read: {}.": 'No se puede leer {}: {}.',
  'Name a CSV or .xlsx file, or - for stdin': 'Indique un archivo CSV o .xlsx, o - para la entrada estándar',
  "Cell {} of the sheet '{}' is a formula without its result.":
    "La celda {} de la hoja '{}' es una fórmula sin su resultado.",
  'Open the file in Excel or LibreOffice and save it: that writes the results':
    'Abra el archivo en Excel o LibreOffice y guárdelo: así se escriben los resultados',
  'Line {} is not CSV: {}.': 'La línea {} no es CSV: {}.',
  'a quote that is opened there, or above, is never closed':
    'hay comillas que se abren ahí, o antes, y nunca se cierran',
  'there is text after a closing quote': 'hay texto después de las comillas de cierre',
  'there is a quote in the middle of a field': 'hay comillas en medio de un campo',
  'A field with quotes in it is written like this: "He said ""yes"""':
    'Un campo con comillas se escribe así: "Dijo ""sí"""',
  'The file unpacks to more than {} MB.': 'El archivo descomprimido pasa de {} MB.',
  'The file has more than {} MB.': 'El archivo pasa de {} MB.',
  'The file has more than {} blank rows.': 'El archivo tiene más de {} filas en blanco.',
  'Delete the blank rows: there may be many below the last row that you see':
    'Borre las filas en blanco: puede haber muchas debajo de la última que se ve',
  "The sheet '{}' is too large: {} rows and {} columns are too many.":
    "La hoja '{}' es demasiado grande: {} filas y {} columnas son demasiadas.",
  'Save the rows that you need as a separate file, or as CSV, which payctl reads at any length':
    'Guarde las filas que necesita en otro archivo, o como CSV, que payctl lee de cualquier tamaño',
  'The file is not text (from line {} on).': 'El archivo no es de texto (desde la línea {}).',
  "Give an .xlsx file, or save the sheet as 'CSV UTF-8'": "Use un archivo .xlsx, o guarde la hoja como 'CSV UTF-8'",
  'From line {} on, the file is neither UTF-8 nor Windows-1252 text: names would be garbled.':
    'Desde la línea {}, el texto del archivo no es UTF-8 ni Windows-1252: los nombres saldrían mal.',
  'The file is not {} text (from line {} on): names would be garbled.':
    'El texto del archivo no es {} (desde la línea {}): los nombres saldrían mal.',
  "Save it as 'CSV UTF-8' in the program that it comes from": "Guárdelo como 'CSV UTF-8' en el programa de origen",
  'The file is {}.': 'El archivo es {}.',
  'a PDF': 'un PDF',
  'Ask for the list as a spreadsheet: a PDF has no cells': 'Pida la lista como hoja de cálculo: un PDF no tiene celdas',
  'a web page, whatever its name': 'una página web, aunque se llame de otra forma',
  'XML, not a current spreadsheet format': 'XML, no un formato actual de hoja de cálculo',
  'JSON, which payctl does not read': 'JSON, que payctl no lee',
  'Give .xlsx or CSV': 'Use .xlsx o CSV',
  'a text document (RTF)': 'un documento de texto (RTF)',
  compressed: 'un archivo comprimido',
  'a picture': 'una imagen',
  'Unpack it first': 'Descomprímalo primero',
  'Open it in Excel or LibreOffice and save it as .xlsx': 'Ábralo en Excel o LibreOffice y guárdelo como .xlsx',
  'The file has a password.': 'El archivo tiene contraseña.',
  'Save it without a password: File, Info, Protect Workbook, Encrypt with Password; clear the password':
    'Guárdelo sin contraseña: Archivo, Información, Proteger libro, Cifrar con contraseña, y déjela vacía',
  'The file has an old Office format (.xls), which payctl does not read.':
    'El archivo tiene un formato antiguo de Office (.xls), que payctl no lee.',
  'The file is an OpenDocument spreadsheet (.ods).': 'El archivo es una hoja de cálculo de OpenDocument (.ods).',
  'Save it as .xlsx or as CSV UTF-8': 'Guárdelo como .xlsx o como CSV UTF-8',
  'The file is a binary workbook (.xlsb).': 'El archivo es un libro binario de Excel (.xlsb).',
  'The file is a Word document.': 'El archivo es un documento de Word.',
  'The file is a presentation.': 'El archivo es una presentación.',
  'Give the sheet as .xlsx or CSV UTF-8': 'Use la hoja como .xlsx o CSV UTF-8',
  'The file is an Apple Numbers spreadsheet.': 'El archivo es una hoja de cálculo de Apple Numbers.',
  'File, Export To, Excel': 'Archivo, Exportar a, Excel',
  'The file is a ZIP archive and not an .xlsx file.': 'El archivo es un ZIP y no un .xlsx.',
  'The .xlsx file is damaged: {}.': 'El archivo .xlsx está dañado. Detalle técnico: {}.',
  'The .xlsx file is damaged, or not complete.': 'El archivo .xlsx está dañado o incompleto.',
  'The .xlsx file has no sheets.': 'El archivo .xlsx no tiene hojas.',
  'Get the file again, or open it in Excel or LibreOffice and save it as .xlsx':
    'Pídalo otra vez, o ábralo en Excel o LibreOffice y guárdelo como .xlsx',
  'The file declares XML entities ({}).': 'El archivo declara entidades XML ({}).',
  'No spreadsheet program writes them: ask the person who made the file':
    'Ningún programa de hojas de cálculo las escribe: pregunte a quien hizo el archivo',

  // Files to write
  "{} can't be written: {}.": 'No se puede escribir {}: {}.',
  '{} is a folder.': '{} es una carpeta.',
  '{} is a link': '{} es un enlace',
  '{} is there already.': '{} ya existe.',
  '{} is the input file, which is never overwritten.': '{} es el archivo de entrada, que nunca se sobrescribe.',
  'Name another file': 'Indique otro archivo',
  'Name a file in it': 'Indique un archivo dentro de ella',
  'Name another one': 'Indique otra ruta',
  'Make room, or name another file': 'Libere espacio, o indique otro archivo',
  'Name another file, or use --force to replace this file': 'Indique otro archivo, o reemplace este con --force',
  'payctl writes .xlsx files of {} rows at most, and there are more. {}':
    'payctl escribe archivos .xlsx de {} filas como máximo, y hay más. {}',
  'Nothing was sent.': 'No se envió nada.',
  'Nothing was written.': 'No se escribió nada.',
  'Take fewer, or write CSV': 'Use menos filas, o un archivo CSV',
  'Write CSV: --output-file result.csv': 'Use un archivo CSV: --output-file result.csv',
  'The result file {} must end in {} or .xlsx. Nothing was sent.':
    'El archivo de resultados {} debe terminar en {} o .xlsx. No se envió nada.',
  'The ending of the name sets the format: --output-file result.csv':
    'El final del nombre indica el formato: --output-file result.csv',
  'The result file {} is the file of payments itself. Nothing was sent.':
    'El archivo de resultados {} es el mismo archivo de pagos. No se envió nada.',
  "The result file can't be written: {}. Nothing was sent.":
    'No se puede escribir el archivo de resultados: {}. No se envió nada.',
  '--columns chooses columns of .csv, .tsv and .xlsx; {} has every field. Nothing was sent.':
    '--columns elige columnas de .csv, .tsv y .xlsx; {} tiene todos los campos. No se envió nada.',
  'Leave --columns out, or name another file': 'Quite --columns, o indique otro archivo',
  '{}; the rows are in {}': '{}; las filas están en {}',
  'The name of the file for refused rows must end in .csv or .xlsx: {}. Nothing was sent.':
    'El nombre del archivo de filas rechazadas debe terminar en .csv o .xlsx: {}. No se envió nada.',
  'The ending of the name sets the format: --rejects-file bad.csv':
    'El final del nombre indica el formato: --rejects-file bad.csv',
  '--rejects-file and --output-file name the same file. Nothing was sent.':
    '--rejects-file y --output-file indican el mismo archivo. No se envió nada.',
  'Name two files': 'Indique dos archivos',
  'No row was refused: {} is not written.': 'No hay filas rechazadas: {} no se escribe.',
  'The wrong rows are in {}, each with the reason.': 'Las filas con errores están en {}, cada una con su motivo.',
  'The refused rows are in {}, each with the reason.': 'Las filas rechazadas están en {}, cada una con su motivo.',
  'The wrong rows could not be written to {}: {}': 'No se pudieron escribir las filas con errores en {}: {}',
  'The refused rows could not be written to {}: {}': 'No se pudieron escribir las filas rechazadas en {}: {}',
  '--columns chooses columns of the rows, but --dry-run prints no rows.':
    '--columns elige columnas de las filas, y --dry-run no muestra ninguna.',
  'Leave one of them out': 'Quite una de las dos opciones',
} as const satisfies Catalogue
