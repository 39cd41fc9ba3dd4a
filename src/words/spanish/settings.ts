import type { Catalogue } from '../text.ts'

/** Settings that can't be used: files of profiles, logins, limits and payees, and environment variables. */
export const settings = {
  'The {} file {} {}.': (_, file, what) => `El archivo ${file} ${what}.`,
  "can't be read: {}": 'no se puede leer: {}',
  'is broken: line {}: {}': 'está dañado. Línea {}: {}',
  'was written by a newer payctl': 'lo escribió una versión más nueva de payctl',
  '{} This command ignored the file.': '{} El comando continuó sin ese archivo.',
  'Let this user read the file, or set PAYCTL_CONFIG_DIR to another directory':
    'Permita que este usuario lea el archivo, o indique otra carpeta en PAYCTL_CONFIG_DIR',
  '{}. Or set PAYCTL_CONFIG_DIR to another directory': '{}. O indique otra carpeta en PAYCTL_CONFIG_DIR',
  'Install a newer payctl in the same way as this one':
    'Instale una versión más nueva de payctl, de la misma forma que esta',
  'Fix the file, or set it aside with: {}': 'Corrija el archivo, o apártelo con: {}',
  'Fix the file, or remove it and log in again: {}': 'Corrija el archivo, o bórrelo e ingrese otra vez: {}',
  'Look at it: {}': 'Revíselo: {}',
  'Other users of this machine can change the settings folder {} (mode {}). They could redirect tokens and payments, so payctl does not use it.':
    'Otros usuarios de este equipo pueden cambiar la carpeta de configuración {} (modo {}). Podrían desviar tokens y pagos, así que payctl no la usa.',
  'Check the files in this folder, then allow only this user to change it: chmod go-w {}':
    'Revise los archivos de esa carpeta y después permita que solo este usuario la cambie: chmod go-w {}',

  // Logins
  'the keyring': 'el llavero del sistema',
  "The entry of profile '{}' in {} is damaged.": "Los datos del perfil '{}' en {} están dañados.",
  "{} can be read by other users of this machine, and its permissions can't be changed: {}. payctl does not use this file.":
    'Otros usuarios de este equipo pueden leer {}, y no se pueden cambiar los permisos del archivo: {}. payctl no lo usa.',
  'Set PAYCTL_CONFIG_DIR to a directory of your own, and log in there':
    'Indique en PAYCTL_CONFIG_DIR una carpeta suya, y después ingrese',
  "The keyring has no login of profile '{}': it was removed there, or the login did not finish.":
    "El llavero del sistema no tiene la sesión del perfil '{}': se borró ahí, o el ingreso no terminó.",

  // Values
  'The key_life of profile {} must be a time from 1m to 3650d: {}.':
    'El valor key_life del perfil {} debe ser un plazo de 1m a 3650d, y es {}.',
  '{} is not a proxy that payctl can use.': 'payctl no puede usar el proxy que indica {}.',
  'Give a URL like http://proxy.example.com:3128': 'Indique una dirección como http://proxy.example.com:3128',
  '{} emulators are running; reads go to the newest, {} ({}). Others: {}':
    'Hay {} emuladores en ejecución; se consulta el más nuevo, {} ({}). Otros: {}',

  // Faults
  'it is not JSON': 'no es JSON',
  'it is not a JSON object': 'no es un objeto JSON',
  'version must be a number, at least 1': 'version debe ser un número, de 1 en adelante',
  'the member store says keyring, but the member keyring is missing':
    'el miembro store dice keyring, pero falta el miembro keyring',
  'the member profiles is not empty, but the member store says keyring':
    'el miembro profiles no está vacío, pero el miembro store dice keyring',
} as const satisfies Catalogue

/** Faults in a settings file. The members of the file keep their names. */
export const settingsPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^(\w+) of profile (\S+) is not a string$/, '$1 del perfil $2 no es un texto'],
  [/^(\w+) of profile (\S+) is not true or false$/, '$1 del perfil $2 no es true ni false'],
  [/^(\w+) of profile (\S+) is not an object$/, '$1 del perfil $2 no es un objeto'],
  [/^(\w+) of profile (\S+) is not a list(?: or null)?$/, '$1 del perfil $2 no es una lista'],
  [/^(\w+) of profile (\S+) is not known to this payctl$/, 'este payctl no conoce $1 del perfil $2'],
  [/^(\w+) of profile (\S+) is missing$/, 'falta $1 del perfil $2'],
  [/^(\w+) of (\w+) of profile (\S+) is not a whole number$/, '$1 de $2 del perfil $3 no es un número entero'],
  [/^hours of profile (\S+) must be like 08:00-17:00$/, 'hours del perfil $1 debe ser así: 08:00-17:00'],
  [
    /^(\w+) of profile (\S+) must have an amount in minor units for each currency$/,
    '$1 del perfil $2 debe tener un monto en céntimos para cada moneda',
  ],
  [/^profile (\S+) is not an object$/, 'el perfil $1 no es un objeto'],
  [/^alias (\S+) is (?:not a list|empty)$/, 'la abreviatura $1 no es una lista de palabras'],
  [/^(profiles|payees|aliases|layouts) is missing$/, 'falta $1'],
  [/^(profiles|aliases) is not an object$/, '$1 no es un objeto'],
  [/^(payees|layouts) is not a list$/, '$1 no es una lista'],
  [/^(\w+) of payee (\d+) is not a string(?: or null)?$/, '$1 del destinatario $2 no es un texto'],
  [/^(\w+) of payee (\d+) is missing$/, 'falta $1 del destinatario $2'],
  [/^(\S+) must have one of iban and phone$/, '$1 debe tener iban o phone, uno de los dos'],
  [/^the IBAN of (\S+) is not valid$/, 'la cuenta IBAN de $1 no es válida'],
  [
    /^the phone of (\S+) is not a national number of eight digits$/,
    'el teléfono de $1 no es un número nacional de ocho dígitos',
  ],
  [
    /^(\S+) must have both holder and verified_at, or neither$/,
    '$1 debe tener holder y verified_at, o ninguno de los dos',
  ],
  [/^the name (\S+) is used twice$/, 'el nombre $1 está dos veces'],
]
