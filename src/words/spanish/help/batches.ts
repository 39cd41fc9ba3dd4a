import type { Catalogue } from '../../text.ts'

/** `payments batch` and its subcommands; also the flags of `payments resume` for batches. */
export const batches = {
  'Send the payments of a spreadsheet or CSV file, all checked before the first one is sent. Columns by name, in any order: to, amount, from, and optionally description, currency, reference, date, name and document (of the holder). After a kill, or in two runs at once, no row is paid twice.':
    'Envía los pagos de una hoja de cálculo o un CSV; antes los revisa todos. Columnas por nombre, en cualquier orden: to, amount, from y, si se quiere, description, currency, reference, date, name y document (del titular). Ninguna fila se paga dos veces, ni tras un corte ni en dos ejecuciones a la vez.',
  '.xlsx or any CSV; - for stdin': '.xlsx o cualquier CSV; - para stdin',
  'account to debit in rows that name no account': 'cuenta de origen de las filas que no indican una',
  'its IBAN, id, last digits or currency, or a payee’s name, if the account is yours':
    'IBAN, id, últimos dígitos o moneda, o un destinatario guardado, si la cuenta es suya',
  'description for rows without a description': 'detalle para las filas sin detalle',
  '15 to 255 characters': 'de 15 a 255 caracteres',
  'headings of the file: to=Teléfono,amount=Monto': 'encabezados del archivo: to=Teléfono,amount=Monto',
  'accents and case do not matter': 'sin importar tildes ni mayúsculas',
  'sheet of an .xlsx file (default: first used sheet)': 'hoja del .xlsx (predeterminado: la primera en uso)',
  'decimal mark of the amounts': 'separador decimal de los montos',
  'needed if the file does not show it': 'necesario si el archivo no permite saberlo',
  'write refused rows to this file, with reasons': 'guarda aquí las filas rechazadas, con el motivo',
  'a new .csv or .xlsx with the original rows': 'un .csv o .xlsx nuevo con las filas originales',
  'replace the file that --rejects-file names': 'reemplaza el archivo de --rejects-file',
  'name of the batch, such as 2026-11': 'nombre del lote, como 2026-11',
  'a row sent under this name is not sent again; give another name to pay the same rows again on purpose':
    'lo enviado con este nombre no se envía otra vez; para pagar otra vez las mismas filas a propósito, indique otro',
  'leave out rows that were sent from another file': 'omite las filas que se enviaron desde otro archivo',
  'for a corrected version of that file': 'para una versión corregida de ese archivo',
  'look up every payee before anything is sent': 'consulta a todos los destinatarios antes de enviar',
  'at a terminal, do not look up new payees': 'en una terminal, no consulta destinatarios nuevos',
  'payments in progress at a time': 'pagos en proceso a la vez',
  'write the rows to this file, not to stdout': 'guarda las filas en este archivo, no en stdout',
  '.csv, .tsv, .json, .ndjson or .xlsx': '.csv, .tsv, .json, .ndjson o .xlsx',
  'wait until the payments have ended': 'espera a que los pagos terminen',
  'exit 8 if one failed, 9 if one is still in progress': 'código de salida 8 si uno falló, 9 si uno sigue en proceso',
  'time limit; implies --wait': 'tiempo máximo; activa --wait',
  'measured from the end of sending': 'se mide desde el final del envío',
  'do not ask, even if the summary has warnings': 'no pregunta, aunque el resumen tenga advertencias',
  'check everything, and send nothing': 'revisa todo y no envía nada',
  'List the batches of this machine, newest first': 'Muestra los lotes de este equipo, el último primero',
  'Show a batch: its sums, and the outcome of each row': 'Muestra un lote: sumas y resultado de cada fila',
  'Send the refused and failed rows of a batch again': 'Reenvía las filas rechazadas y fallidas de un lote',
  "A file is .xlsx, or CSV with comma, semicolon, tab or |. If the file is called list, show or retry, write ./list. The amount is in major units: 1500.25. The reference column contains your own text, which is repeated in the result. With name and document (or cédula) columns, a row is refused if somebody else holds the account or phone, and payctl asks about a partial match. A date (fecha) must be today's date in Costa Rica. A TOTAL row below the payments must equal the sum of the payments. Other columns are repeated in the result. At a terminal, payctl asks once about headings that it does not know, and remembers the answer.":
    'El archivo es .xlsx, o CSV con coma, punto y coma, tabulador o |. Si se llama list, show o retry, escriba ./list. El monto va en colones o dólares: 1500.25. La columna reference es un texto suyo, que se repite en el resultado. Con las columnas name y document (o cédula), se rechaza la fila si la cuenta o el teléfono es de otro titular; si coincide solo en parte, payctl pregunta. Una fecha (date) debe ser la de hoy en Costa Rica. Una fila TOTAL debajo de los pagos debe ser igual a la suma de los pagos. Las demás columnas se repiten en el resultado. En una terminal, payctl pregunta una vez por otros encabezados, y los recuerda.',
  'A row is identified by its from, to, amount and description, and equal rows are also numbered. No row is paid twice, however often the file is run. If a row is in doubt, payctl searches the history for its payment, and if the payment is not there, sends the row again with the same key. If the key is older than --key-life, payctl asks; with --yes it does not send the row and exits with 10.':
    'Una fila se identifica por from, to, amount y description, y las filas iguales también por su número. Ninguna fila se paga dos veces, sin importar cuántas veces se ejecute el archivo. Una fila sin confirmar se busca en el historial y, si no está ahí, se envía otra vez con la misma clave. Si la clave es más antigua que --key-life, payctl pregunta; con --yes no envía la fila y el código de salida es 10.',

  // list, show, retry
  'List the batches of this machine, newest first, with the number of rows by outcome. Outcomes are as last read: the command does not ask the service. (To pay a file that is called list, write ./list.)':
    'Muestra los lotes de este equipo, primero los más recientes, con la cantidad de filas por resultado. Los resultados son los de la última consulta: el comando no pregunta al servicio. (Para pagar un archivo que se llama list, escriba ./list.)',
  'Show a batch: its sums by outcome, and its rows in the order of the file, with holder, fee, references and outcome as of today. If the service does not answer, or the batch belongs to another user or world, the rows are as last read. (To pay a file that is called show, write ./show.)':
    'Muestra un lote: sus sumas por resultado, y sus filas en el orden del archivo, con titular, comisión, referencias y resultado al día de hoy. Si el servicio no responde, o el lote es de otro usuario o de otro mundo, las filas se muestran según la última consulta. (Para pagar un archivo que se llama show, escriba ./show.)',
  'name of the batch, part of the name, or last (the default)':
    'nombre del lote, una parte de él, o last (el último; predeterminado)',
  'write a receipt for each completed row into this folder':
    'guarda en esta carpeta un comprobante de cada fila acreditada',
  'each receipt is a page for a browser': 'cada comprobante es una página para el navegador',
  'replace receipts in the folder': 'reemplaza los comprobantes de la carpeta',
  'Send again the rows of a batch that certainly paid nobody: those that the service refused, and those whose payment failed, each as a new payment. Shows every reason first and asks once. However often the command is run, it sends a row again only if the latest attempt was refused or failed. Skips rows in doubt (for these, run payctl payments resume), and rows that a later payment may have replaced.':
    'Envía otra vez las filas de un lote que con certeza no se pagaron: las que el servicio rechazó y las que fallaron, cada una como un pago nuevo. Primero muestra todos los motivos y pregunta una vez. Sin importar cuántas veces se ejecute, el comando solo reenvía una fila si su último intento se rechazó o falló. Omite las filas sin confirmar (para estas, use payctl payments resume) y las que un pago posterior pudo haber reemplazado.',
  'name of the batch, or last; at a terminal, part of the name':
    'nombre del lote, o last (el último); en una terminal, una parte del nombre',
  'default: the last batch, or the only batch with refused or failed rows':
    'predeterminado: el último, o el único con filas rechazadas o fallidas',
  'payctl payments batch list shows the names': 'los nombres se ven con payctl payments batch list',

  // resume
  'finish this batch: rows that are prepared, sent or unknown':
    'completa este lote: filas en estado prepared, sent o unknown',
  'with --batch, write the rows to this file': 'con --batch, guarda las filas en este archivo',
  'rows of a batch in progress at a time': 'filas de un lote en proceso a la vez',
} as const satisfies Catalogue
