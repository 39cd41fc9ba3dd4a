import type { Catalogue } from '../text.ts'

/** Faults of files and folders, as clauses. */
export const files = {
  'no such file or folder': 'no existe ese archivo o carpeta',
  'it is a folder': 'es una carpeta',
  'a part of its path is a file': 'una parte de la ruta es un archivo',
  'permission is denied': 'no hay permiso',
  'the disk is read-only': 'el disco es de solo lectura',
  'the disk is full': 'el disco está lleno',
  'your disk quota is used up': 'se acabó su cuota de disco',
  'the file would exceed the size limit': 'el archivo superaría el tamaño permitido',
} as const satisfies Catalogue
