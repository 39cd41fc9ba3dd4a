import type { Catalogue } from '../text.ts'
import { named } from './batches.ts'

/** Faults and unusual values in the rows of a payment file. The columns keep payctl's names. */
export const batchRows = {
  '1 row is wrong. Nothing was sent.': '1 fila tiene errores. No se envió nada.',
  '{} rows are wrong. Nothing was sent.': '{} filas tienen errores. No se envió nada.',
  '{} The first {}:': '{} Las primeras {}:',
  'Correct the file and run the command again': 'Corrija el archivo y ejecute el comando otra vez',
  'Correct the file and run the command again; --json lists every wrong row':
    'Corrija el archivo y ejecute el comando otra vez; --json muestra todas las filas con errores',
  '1 row is not valid (line {}): {}. Nothing was sent.': '1 fila no es válida (línea {}): {}. No se envió nada.',
  '{} rows are not valid (lines {}). Nothing was sent.': '{} filas no son válidas (líneas {}). No se envió nada.',

  // Rows of a sheet
  'it names no payee: if it is a total, write TOTAL beside it; if it is a note, delete it':
    'no indica destinatario: si es un total, escriba TOTAL al lado; si es una nota, bórrela',
  'it is hidden in the sheet: show it, or delete it': 'está oculta en la hoja: muéstrela o bórrela',
  '{} is an error in the sheet: {}': '{} es un error de la hoja: {}',
  'it has a cell beyond the last heading': 'tiene una celda más allá del último encabezado',
  'it has {} fields, but the heading has {}: quote a field that has a delimiter in it':
    'tiene {} campos y el encabezado {}: ponga entre comillas el campo que contiene un separador',
  '{} is below a merged cell, where nobody sees it: separate the cells':
    '{} está debajo de una celda combinada, donde nadie lo ve: separe las celdas',
  '{} is a formula whose result may have changed: open the file in Excel or LibreOffice and save it':
    '{} es una fórmula cuyo resultado puede haber cambiado: abra el archivo en Excel o LibreOffice y guárdelo',
  '{} has a number format that payctl does not read: give the cell the format General':
    '{} tiene un formato de número que payctl no lee: dele a la celda el formato General',
  '{} is "{}", but the sheet shows {}: give the cell the format General':
    '{} es "{}", pero la hoja muestra {}: dele a la celda el formato General',
  nothing: 'nada',

  // Values of a row
  'the payee {} has not been verified': 'el destinatario {} no se ha verificado',
  'the payee {} is not known to the service': 'el servicio no conoce al destinatario {}',
  'the payee is the account that pays': 'el destinatario es la misma cuenta que paga',
  'the payee is a phone: SINPE Móvil carries CRC only, and the account that pays is in {}':
    'el destinatario es un teléfono: SINPE Móvil solo mueve colones, y la cuenta que paga está en {}',
  'amount is empty': 'amount está vacío',
  'amount is a date ({})': 'amount es una fecha ({})',
  'amount is a boolean ({})': 'amount es un valor lógico ({})',
  'the file separates fields with semicolons, as is usual with decimal commas, but line {} has {}':
    'el archivo separa los campos con punto y coma, como es usual con coma decimal, pero la línea {} tiene {}',
  'amount "{}" has two readings, {} or {}: {}. Say which: --decimal comma, or --decimal point':
    'amount "{}" se puede leer de dos maneras, {} o {}: {}. Indique cuál: --decimal comma, o --decimal point',
  'date "{}" is not a day: write {}, or leave it empty': 'date "{}" no es una fecha: escriba {}, o déjela vacía',
  'date is {}, and today is {} in Costa Rica: both PIN and SINPE Móvil pay at once':
    'date es {}, y hoy es {} en Costa Rica: tanto PIN como SINPE Móvil pagan de inmediato',
  'description has control characters': 'description tiene caracteres de control',
  'from is empty.': 'from está vacío.',
  'from {} is not one of your accounts': 'from {} no es una de sus cuentas',
  'from {} is an account that is {}': 'from {} es una cuenta con el estado {}',
  'from "{}" is not the whole id of an account, and this token is not allowed to read accounts, so payctl can\'t find the account':
    'from "{}" no es el identificador completo de una cuenta, y este token no permite consultar cuentas, así que payctl no puede buscarla',
  'currency is {}, but amount is in {}': 'currency es {}, pero amount está en {}',
  'currency is {}, but the account that pays is in {}': 'currency es {}, pero la cuenta que paga está en {}',
  'Name the account to debit, or one for all rows: --from':
    'Indique la cuenta de origen, o una para todas las filas: --from',
  '{} is not an identity document: {}.': '{} no es un documento de identidad: {}.',
  'it has {} in it': 'tiene {}',
  'it has characters other than digits': 'tiene caracteres que no son dígitos',
  'none has {} digits beginning with {}': 'ningún documento tiene {} dígitos y empieza con {}',
  'Write it like 1-0234-0567, 3-101-123456, or 155812345678 (DIMEX)':
    'Escríbalo así: 1-0234-0567, 3-101-123456 o 155812345678 (DIMEX)',

  // Totals
  'it is a total, and payments follow it: delete it': 'es un total, y debajo hay más pagos: bórrelo',
  'it is a total: {}': 'es un total: {}',
  'it is a total in {}, but the amounts above it are in {}': 'es un total en {}, pero los montos de arriba están en {}',
  'it is a total of several currencies: state one currency in its cell, as in CRC 5000, or delete it':
    'es un total de varias monedas: indique una en su celda, por ejemplo CRC 5000, o bórrelo',
  'the total is {}, but the amounts above it add up to {}': 'el total es {}, pero los montos de arriba suman {}',
  'The total in line {} is the sum of the amounts: {}.': 'El total de la línea {} es la suma de los montos: {}.',

  // Unusual rows
  '{}, before at {}': '{}, antes en {}',
  '{}, usually {}': '{}, normalmente {}',
  'on {}': 'el {}',
  'from line {} on': 'desde la línea {}',
  '{}: {} (the first: {})': '{}: {} (la primera: {})',
  '1 row pays a known payee at a different account or phone':
    '1 fila le paga a un destinatario conocido en otra cuenta o teléfono',
  '{} rows pay a known payee at a different account or phone':
    '{} filas le pagan a un destinatario conocido en otra cuenta o teléfono',
  '1 row pays more than twice the usual amount': '1 fila paga más del doble del monto usual',
  '{} rows pay more than twice the usual amount': '{} filas pagan más del doble del monto usual',
  '1 row repeats a payee and amount of the last 8 days':
    '1 fila repite destinatario y monto de un pago de los últimos 8 días',
  '{} rows repeat a payee and amount of the last 8 days':
    '{} filas repiten destinatario y monto de un pago de los últimos 8 días',
  '1 payee has never been paid before': 'a 1 destinatario no se le había pagado antes',
  '{} payees have never been paid before': 'a {} destinatarios no se les había pagado antes',

  // Holders
  'name not known': 'nombre desconocido',
  'line {}: {}': 'línea {}: {}',
  'and {} more': 'y {} más',
  '  and {} more like these': '  y {} más como estas',
  '{}: too many to look up without --check-payees':
    '{}: son demasiados para consultarlos si usted no lo pide (--check-payees)',
  'payees were not looked up: {}': 'no se consultaron los destinatarios: {}',
  'not compared in {} (line {}): the service does not give them': (rows, lines) =>
    `sin comparar en ${rows} (${named(lines)}): el servicio no los indica`,
} as const satisfies Catalogue
