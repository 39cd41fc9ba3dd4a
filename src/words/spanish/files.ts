import type { Catalogue } from '../text.ts'

/** Faults of files and folders, and of the payment journal's file. */
export const files = {
  'no such file or folder': 'no existe ese archivo o carpeta',
  'it is a folder': 'es una carpeta',
  'a part of its path is a file': 'una parte de la ruta es un archivo',
  'permission is denied': 'no hay permiso',
  'the disk is read-only': 'el disco es de solo lectura',
  'its file system takes no new folders': 'su sistema de archivos no admite carpetas nuevas',
  'no program reads it': 'ningún programa lo lee',
  'the disk is full': 'el disco está lleno',
  'your disk quota is used up': 'se acabó su cuota de disco',
  'the file would exceed the size limit': 'el archivo superaría el tamaño permitido',

  // Files of payctl
  'The payment journal has lost line {}.': 'El registro de pagos perdió la línea {}.',
  'The payment journal could not be updated: {}.': 'No se pudo actualizar el registro de pagos: {}.',
  'The payment journal {} was written by a newer payctl. Nothing was sent by this run.':
    'El registro de pagos {} lo escribió una versión más nueva de payctl. Este comando no envió nada.',
  "The payment journal {} can't be used: {}. Nothing was sent by this run.":
    'No se puede usar el registro de pagos {}: {}. Este comando no envió nada.',
  "The payment journal {} can't be used: {}. This run may already have sent payments.":
    'No se puede usar el registro de pagos {}: {}. Es posible que este comando ya haya enviado pagos.',
  'Another payctl process is using the journal; try again when that process has ended':
    'Otro proceso de payctl lo está usando; inténtelo otra vez cuando termine',
  'Make room for the journal, let this user write to its folder, or set PAYCTL_STATE_DIR to another directory':
    'Libere espacio, permita que este usuario escriba en la carpeta del registro, o defina PAYCTL_STATE_DIR con otra carpeta',
  'The file can’t be copied for checking: {}. Nothing was sent.':
    'No se puede copiar el archivo para revisarlo: {}. No se envió nada.',
  "The lock {} can't be used: {}. Nothing was changed.":
    'No se puede usar el archivo de bloqueo {}: {}. No se cambió nada.',
  'Make room, let this user write in {}, or set PAYCTL_CONFIG_DIR to another directory':
    'Libere espacio, permita que este usuario escriba en {}, o defina PAYCTL_CONFIG_DIR con otra carpeta',
  "The {} file {} can't be written: {}. It was left unchanged.": (_, file, fault) =>
    `No se puede escribir el archivo ${file}: ${fault}. Se dejó como estaba.`,
  "The audit file {} can't be written: {}. Nothing was sent.":
    'No se puede escribir el archivo de auditoría {}: {}. No se envió nada.',
  'no space left for a whole line': 'no queda espacio para una línea completa',
  'Make room, or let this user write to the file': 'Libere espacio, o permita que este usuario escriba en el archivo',
  'Another payctl has held {} for {} minutes. Nothing was changed.':
    'Otro payctl tiene ocupado {} desde hace {} minutos. No se cambió nada.',
  'Wait until that process ends, or end it if it hangs; then run the command again':
    'Espere a que ese proceso termine, o termínelo si está pegado; después ejecute el comando otra vez',
} as const satisfies Catalogue

/** Faults of the database and the operating system, in their own words. */
export const storagePatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^(database or disk is full)$/, 'el disco está lleno'],
  [/^(disk I\/O error)$/, 'error de lectura o escritura en el disco'],
  [/^(database is locked)$/, 'otro proceso lo está usando'],
  [/^(attempt to write a readonly database)$/, 'es de solo lectura'],
  [/^(unable to open database file)$/, 'no se puede abrir el archivo'],
  [/^(file is not a database)$/, 'el archivo no es una base de datos'],
  [/^(database disk image is malformed|malformed JSON|a row is not valid JSON)$/, 'está dañado'],
  [/^(E[A-Z]+): no space left on device\b.*$/, 'no queda espacio en el disco ($1)'],
  [/^(E[A-Z]+): (?:permission denied|operation not permitted)\b.*$/, 'no hay permiso ($1)'],
  [/^(E[A-Z]+): read-only file system\b.*$/, 'el disco es de solo lectura ($1)'],
  [/^(E[A-Z]+): no such file or directory\b.*$/, 'no existe el archivo o la carpeta ($1)'],
  [/^(E[A-Z]+): disk quota exceeded\b.*$/, 'se acabó su cuota de disco ($1)'],
  [/^(E[A-Z]+): (?:i\/o error|input\/output error)\b.*$/i, 'error de lectura o escritura en el disco ($1)'],
  [/^(E[A-Z]+): file too large\b.*$/, 'el archivo superaría el tamaño permitido ($1)'],
  [/^(E[A-Z]+): not a directory\b.*$/, 'una parte de la ruta es un archivo ($1)'],
  [/^(E[A-Z]+): illegal operation on a directory\b.*$/, 'es una carpeta ($1)'],
  [/^(\/.*|[^:]+\.\w+): (E[A-Z]+: .*)$/s, '$1: $2'],
]
