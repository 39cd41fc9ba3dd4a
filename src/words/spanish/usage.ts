import type { Catalogue } from '../text.ts'
import { placeholders } from './placeholders.ts'

/** Mistakes in commands, flags and arguments; formats, columns, profiles and emulators of a run. */
export const usage = {
  'unknown command {}.': 'No existe el comando {}.',
  'unknown option {}.': 'No existe la opción {}.',
  "required option '{}' not specified.": (option) => `Falta la opción obligatoria ${flag(`'${option}'`)}.`,
  'missing required argument {}.': (name) => `Falta el argumento ${argument(name)}.`,
  'option {} needs a value.': (option) => `Falta el valor de la opción ${flag(option)}.`,
  'option {} cannot be used with option {}.': (option, other) =>
    `La opción ${flag(option)} no se puede usar con la opción ${flag(other)}.`,
  'the value {} of the option {} is not valid. Allowed choices are {}.': (value, option, choices) =>
    `El valor ${value} de la opción ${flag(option)} no es válido. Los valores posibles son: ${choices}.`,
  'the value {} of the option {} is not valid. {}': (value, option, rule) =>
    `El valor ${value} de la opción ${flag(option)} no es válido. ${rule}`,
  'the value {} of the argument {} is not valid. Allowed choices are {}.': (value, name, choices) =>
    `El valor ${value} del argumento ${argument(name)} no es válido. Los valores posibles son: ${choices}.`,
  'the value {} of the argument {} is not valid. {}': (value, name, rule) =>
    `El valor ${value} del argumento ${argument(name)} no es válido. ${rule}`,
  'too many arguments for {}. Expected 1 argument but got {}.':
    'El comando {} acepta un solo argumento, pero se indicaron {}.',
  'too many arguments for {}. Expected {} arguments but got {}.': (name, most, given) =>
    most === '0'
      ? `El comando ${name} no acepta argumentos, pero se indicaron ${given}.`
      : `El comando ${name} acepta ${most} argumentos, pero se indicaron ${given}.`,

  // Values of flags and arguments
  'Give a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301': 'Indique un UUID como 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'Give a time like 2030-01-05T18:00:00Z': 'Indique una fecha y hora como 2030-01-05T18:00:00Z',
  'Give a number with its unit: 500ms, 30s, 2m, 1h': 'Indique un número con su unidad: 500ms, 30s, 2m, 1h',
  'Give a time from 1m to 3650d, such as 24h': 'Indique un plazo de 1m a 3650d, como 24h',
  'Give a port or a name: --emulator=4011': 'Indique un puerto o un nombre: --emulator=4011',

  "'{}' is none of: {}": "'{}' no es ninguno de estos: {}",
  'Give {} or {}': 'Indique {} o {}',
  'Give one of {}': 'Indique uno de estos: {}',
  'Give a whole number from {} to {}': 'Indique un número entero de {} a {}',
  'Give a whole number of at least {}': 'Indique un número entero de {} en adelante',
  'Give a date like 2026-11-01, a time like 2026-11-01T14:30, or 7d, 24h, today, yesterday':
    'Indique una fecha como 2026-11-01, una hora como 2026-11-01T14:30, o 7d, 24h, today, yesterday',
  'Write the year first: {}': (dates) => `Escriba primero el año: ${dates.replace(' or ', ' o ')}`,
  'Scopes are: {}': 'Los permisos son: {}',
  '{} is not a scope; did you mean {}? Scopes are: {}': '{} no es un permiso; ¿quiso decir {}? Los permisos son: {}',
  'Give 1 to 64 letters, digits, dots, dashes and underscores, not starting with a dot or dash':
    'Indique de 1 a 64 letras, dígitos, puntos, guiones y guiones bajos, sin punto ni guion al principio',
  'Give hours in Costa Rica time, like 08:00-17:00': 'Indique horas de Costa Rica, así: 08:00-17:00',
  'Give 100ms or more': 'Indique 100ms o más',
  'Give the id from the service, without spaces': 'Indique el id que dio el servicio, sin espacios',

  // Output
  'Column {} does not exist.': 'No existe la columna {}.',
  'For the list of columns: --columns help': '--columns help muestra las columnas',
  'Did you mean {}? For the list of columns: --columns help': '¿Quiso decir {}? --columns help muestra las columnas',
  'Did you mean {}? Running: {}': '¿Quiso decir {}? En ejecución: {}',
  '--columns does not apply to this output ({}), which has every field.':
    '--columns no se aplica a esta salida ({}), que tiene todos los campos.',
  'Leave --columns out, or choose fields with --jq': 'Quite --columns, o elija los campos con --jq',
  '--sort sorts tables, csv and tsv; {} prints the answer unchanged.':
    '--sort ordena tablas, csv y tsv; {} muestra la respuesta sin cambios.',
  "jq sorts: --jq 'sort_by(.field)'": "jq puede ordenar: --jq 'sort_by(.field)'",
  "--sort and --jq can't be combined.": '--sort y --jq no se pueden combinar.',
  '--sort needs the whole list, but {}.': '--sort necesita la lista completa, pero {}.',
  'these rows are printed as they arrive': 'estas filas se muestran conforme llegan',
  'Use a page that holds all rows: --per-page 1000, without --all':
    'Use una página en la que quepan todas las filas: --per-page 1000, sin --all',
  "A workbook can't be shown on a terminal.": 'Un libro de Excel no se puede mostrar en una terminal.',
  'Send it to a file: -o xlsx > list.xlsx': 'Envíelo a un archivo: -o xlsx > list.xlsx',
  '--json and --output {} ask for two formats.': '--json y --output {} piden dos formatos.',
  'Give one of them: --json is short for --output json.': 'Indique solo uno: --json equivale a --output json.',
  "The profile's output is {}, which is not an output format.": 'El formato del perfil es {}, y no existe ese formato.',
  'PAYCTL_OUTPUT is {}, which is not an output format.': 'PAYCTL_OUTPUT es {}, y no existe ese formato.',
  'Set it to one of: {}': 'Los formatos posibles son: {}',
  '--excel is a form of CSV, but {} is requested too.': '--excel es una forma de CSV, pero también se pidió {}.',
  'Leave one of them out; for a workbook: --output xlsx':
    'Quite una de las dos opciones; para un libro de Excel: --output xlsx',
  '--jq filters JSON, but --output {} requests another format.':
    '--jq filtra JSON, pero --output {} pide otro formato.',
  'Leave --output out, or give --output ndjson to filter row by row.':
    'Quite --output, o indique --output ndjson para filtrar fila por fila.',
  'The --jq program is not valid: {}.': 'El programa de --jq no es válido: {}.',
  "Quote it for the shell: --jq '.[].id'. The language: https://jqlang.org/manual":
    "Póngalo entre comillas: --jq '.[].id'. El lenguaje: https://jqlang.org/manual",
  '--jq failed: {}.': 'Falló --jq: {}.',
  'Filter row by row: add --output ndjson.': 'Filtre fila por fila: agregue --output ndjson.',
  'Run the command with --json instead of --jq: the program reads that output.':
    'Ejecute el comando con --json en vez de --jq: el programa de jq puede leer esa salida.',
  'The request was sent, but --jq failed on the result: {}.':
    'La solicitud se envió, pero --jq falló con el resultado: {}.',
  'Do not send it again: stdout has the whole answer, unfiltered.':
    'No la envíe otra vez: la salida tiene la respuesta completa, sin filtrar.',
  'Do not send it again: read the result, without --jq.': 'No la envíe otra vez: consulte el resultado sin --jq.',

  // Pages of a list
  'this is page {} of {}': 'esta es la página {} de {}',
  'Page {} does not exist: the last of {} are on page {}.':
    'No existe la página {}: hay {}, y la última página es la {}.',
  '{} of {}. More: --page {}, --all': '{} de {}. Para ver más: --page {}, --all',
  '--envelope asks for one object, which only JSON and YAML can hold.':
    '--envelope pide un solo objeto, y eso solo lo permiten JSON y YAML.',
  'Add --json, or leave --envelope out': 'Agregue --json, o quite --envelope',
  payments: 'pagos',
  accounts: 'cuentas',

  // Profiles and emulators
  'Profile {} does not exist.': 'No existe el perfil {}.',
  'Profiles: {}.': 'Perfiles: {}.',
  '--emulator and --profile {} name two services.': '--emulator y --profile {} indican dos servicios.',
  '--emulator={} and --base-url name two services.': '--emulator={} y --base-url indican dos servicios.',
  '--emulator already says where requests go: to this machine. --base-url and --auth-url name another service.':
    '--emulator ya indica adónde van las solicitudes: a este equipo. --base-url y --auth-url indican otro servicio.',
  'Leave one of them out.': 'Quite una de las opciones.',
  'The profile in use is the emulator, but PAYCTL_BASE_URL names another machine.':
    'El perfil en uso es el emulador, pero PAYCTL_BASE_URL indica otro equipo.',
  'PAYCTL_PROFILE says emulator, but PAYCTL_BASE_URL names another machine.':
    'PAYCTL_PROFILE indica el emulador, pero PAYCTL_BASE_URL indica otro equipo.',
  'Unset one of them, or choose with a flag: --emulator or --base-url':
    'Quite la variable que sobra, o elija con una opción: --emulator o --base-url',
  '{} belongs to {} ({}), and is not sent to {}.': '{} es de {} ({}), y no se envía a {}.',
  'Unset {}, or set PAYCTL_BASE_URL={} and {} together':
    'Quite la variable {}, o defina PAYCTL_BASE_URL={} junto con {}',
  'PAYCTL_TOKEN is not used: it is sent only to an emulator that PAYCTL_BASE_URL or --base-url names.':
    'PAYCTL_TOKEN no se usa: solo se envía a un emulador que indique PAYCTL_BASE_URL o --base-url.',
  'No emulator answers. An emulator was started at {}, but it does not answer, or another program has that address now.':
    'No responde ningún emulador. Se inició uno en {}, pero no responde, o ahora otro programa tiene esa dirección.',
  'Emulator {} at {} does not answer, or another program has that address now.':
    'El emulador {} en {} no responde, o ahora otro programa tiene esa dirección.',
  'Let this user write there, or set PAYCTL_STATE_DIR to another directory':
    'Permita que este usuario escriba ahí, o defina PAYCTL_STATE_DIR con otro directorio',
  'The current directory no longer exists.': 'El directorio actual ya no existe.',
  'Change to a directory that exists: cd ~': 'Cámbiese a un directorio que exista: cd ~',
  'No emulator that you started answers at {}.': 'En {} no responde ningún emulador iniciado por usted.',
  'Running: {}': 'En ejecución: {}',
  '{} emulators are called {}.': 'Hay {} emuladores con el nombre {}.',
  'Name one: {}': 'Indique uno: {}',
  'No emulator that you started has the name {}, or a world of that name.':
    'Ningún emulador iniciado por usted tiene el nombre {}, ni un mundo con ese nombre.',
  '{} emulators are running, and nothing says which one to change. Nothing was sent.':
    'Hay {} emuladores en ejecución y no se indicó cuál cambiar. No se envió nada.',
} as const satisfies Catalogue

/** A flag without the placeholder of its value: `'--from <account>'` as `'--from'`. */
const flag = (option: string): string => option.replace(/ ?[<[].*(?='$)/, '')

/** A quoted argument with its name in Spanish help; unchanged for an argument of a command that is only in English. */
const argument = (quoted: string): string => quoted.replace(/[^']+/, (name) => names[name] ?? name)

const names: Readonly<Record<string, string>> = placeholders
