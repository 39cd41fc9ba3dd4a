import type { Catalogue } from '../../text.ts'
import { exitCodes } from '../exit_codes.ts'

/** `payctl help <topic>`. */
export const topics = {
  'options of every command: service, output, time limits':
    'opciones de todos los comandos: servicio, salida, tiempos máximos',
  'variables that payctl reads': 'variables que payctl lee',
  'where payctl keeps its files': 'dónde guarda payctl sus archivos',
  'tables, JSON, CSV: formats of stdout': 'tablas, JSON, CSV: formatos de stdout',
  'how amounts are written and printed': 'cómo se escriben y se muestran los montos',
  'how payctl avoids paying twice, what to do in doubt': 'cómo evita payctl pagar dos veces, qué hacer en caso de duda',
  'what an exit code means': 'qué significa un código de salida',
  code: 'código',
  meaning: 'significado',

  // options
  'Options of every command, before or after its name': 'Opciones de todos los comandos, antes o después de su nombre',
  "profile: service and user ('emulator' is built in)":
    "servicio y usuario de las solicitudes ('emulator' ya viene incluido)",
  'the running emulator, or the one with this name or port': 'el emulador en ejecución, o el de este nombre o puerto',
  'URL of the service': 'dirección del servicio',
  'access token; other users of this machine can see it, so prefer PAYCTL_TOKEN':
    'token de acceso; otros usuarios de este equipo lo pueden ver: mejor use PAYCTL_TOKEN',
  'default: table on a terminal, else tsv': 'predeterminado: table en una terminal; si no, tsv',
  'short for --output json': 'lo mismo que --output json',
  'CSV that Excel, in that country, opens correctly': 'CSV que el Excel de ese país abre bien',
  'filter the JSON with jq (-o ndjson: row by row); strings print without quotes':
    'filtra el JSON con jq; los textos salen sin comillas. Con -o ndjson, fila por fila',
  'time limit for one attempt: 30s, 500ms (default: 30s)':
    'tiempo máximo de un intento: 30s, 500ms (predeterminado: 30s)',
  'attempts after the first (default: 3)': 'intentos después del primero (predeterminado: 3)',
  'no colours': 'sin colores',
  'language of notes, questions, errors and help (default: from the locale)':
    'idioma de avisos, preguntas, errores y ayuda (predeterminado: el del sistema)',
  'progress of long work, on stderr (default: bar on a terminal)':
    'avance de los trabajos largos, en stderr (predeterminado: bar en una terminal)',
  'no notes on stderr, only errors': 'sin avisos en stderr, solo errores',
  'show requests and answers on stderr, secrets hidden': 'muestra solicitudes y respuestas en stderr, sin los secretos',
  'never ask': 'nunca pregunta',

  // environment
  'OAuth server of the service': 'servidor OAuth del servicio',
  'access token': 'token de acceso',
  'OAuth client of payctl login': 'cliente OAuth de payctl login',
  'secret of that OAuth client': 'secreto de ese cliente',
  'profile to use': 'perfil que se usa',
  'name of the upstream rate provider in URL paths': 'nombre del proveedor del tipo de cambio en las rutas',
  'output format': 'formato de salida',
  'language of notes, questions, errors and help: en or es': 'idioma de avisos, preguntas, errores y ayuda: en o es',
  "control URL of this test suite's emulator": 'URL de control del emulador de estas pruebas',
  'control token, if the emulator has one': 'token de control, si el emulador tiene uno',
  'folder for profiles and credentials': 'carpeta de perfiles y credenciales',
  'folder for payment intents and the list of running emulators':
    'carpeta de intentos de pago y de la lista de emuladores en ejecución',
  'also print the stack of an error': 'muestra también la traza de un error',
  'command that opens a page in a browser': 'comando que abre una página en el navegador',
  'proxy, except for the hosts in NO_PROXY': 'proxy, excepto para los hosts de NO_PROXY',
  'no colours; signs such as ✓ stay': 'sin colores; quedan signos como ✓',
  'time zone of displayed times': 'zona horaria de las horas que se muestran',

  // files
  'profiles and short forms of commands; no secrets': 'perfiles y abreviaturas de comandos; sin secretos',
  'tokens of payctl login, or a note that the keyring has them; only you can read the file':
    'tokens de payctl login, o el aviso de que están en el llavero; solo usted puede leer el archivo',
  'every payment requested on this machine; payctl payments resume reads this file':
    'todos los pagos solicitados en este equipo; lo lee payctl payments resume',
  'saved payees with their holders; only you can read the file':
    'destinatarios guardados, con sus titulares; solo usted puede leerlo',
  'limits of profiles, and which profiles are live: payctl limits':
    'límites de los perfiles, y cuáles mueven dinero real: payctl limits',
  'requests, and who confirmed them: payctl audit': 'solicitudes, y quién las confirmó: payctl audit',
  'latest deliveries to payctl webhooks tail, at most 4 MiB, for webhooks replay; only you can read the file':
    'últimas entregas de payctl webhooks tail, 4 MiB como máximo, para webhooks replay; solo usted puede leerlo',
  'also lists the running emulators; never delete this folder while a payment is in doubt':
    'también indica los emuladores en ejecución; nunca borre esta carpeta mientras haya un pago sin confirmar',

  // formats
  'stdout is data, stderr is for people: a script reads stdout and the exit code.':
    'stdout es para los datos; stderr, para las personas: un script lee stdout y el código de salida.',
  'for people: the default on a terminal; local times': 'para personas: predeterminado en una terminal; hora local',
  'the default elsewhere: one line per row, UTC times, plain numbers':
    'predeterminado sin terminal: línea por fila, UTC, números simples',
  'the same with commas and quotes; --excel es-CR: for Excel':
    'lo mismo con comas y comillas; --excel es-CR: como en Excel',
  'a workbook, into a file: payctl accounts list -o xlsx > a.xlsx':
    'un libro de Excel: payctl accounts list -o xlsx > a.xlsx',
  'one document with everything the service sent; short: --json':
    'un documento con todo lo que envió el servicio; o --json',
  'the same, one line per record, as each arrives': 'lo mismo, una línea por registro, apenas llega',
  'the same as JSON, for reading': 'lo mismo que JSON, más fácil de leer',
  'filters the JSON with jq; strings print without quotes': 'filtra el JSON con jq; los textos salen sin comillas',
  'A profile can have its own format: payctl profiles set prod -o json':
    'Un perfil puede tener su propio formato: payctl profiles set prod -o json',

  // money
  'Money is whole minor units (céntimos, cents): 150025 is 1,500.25. Amounts are never converted to binary fractions.':
    'El dinero se cuenta en céntimos o centavos enteros: 150025 es 1,500.25. Los montos nunca se convierten en fracciones binarias.',
  "major units of the account's currency": 'en la moneda de la cuenta',
  'the same in minor units': 'el mismo monto en céntimos',
  '{ "value": 150025, "currency": "CRC" }': '{ "value": 150025, "currency": "CRC" }',
  '1500.25, and the currency in its own column': '1500.25, y la moneda en su propia columna',
  '-1,500.25 CRC: a minus for money that went out': '-1,500.25 CRC: con menos, el dinero que salió',
  'payctl refuses an amount with two readings, like 1.500: it does not guess.':
    'Un monto que se puede leer de dos maneras, como 1.500, se rechaza: payctl no adivina.',

  // safety
  'A payment is recorded on this machine before its request is sent, with a key for which the service pays only once. Whatever happens then (a crash, Ctrl-C, a lost answer), this command finds out the result:':
    'Un pago se registra en este equipo antes de enviar su solicitud, con una clave por la que el servicio paga una sola vez. Pase lo que pase después (una falla, Ctrl-C, una respuesta perdida), este comando averigua el resultado:',
  'It reads the history of the service first. If the payment is there, it was made, and nothing is sent. Otherwise it is sent again with the same key: the service makes no second payment while it remembers the key. payctl relies on a key for 24 hours (--key-life). For an older payment, payctl asks first; with --yes it sends nothing and exits with 10.':
    'Primero lee el historial del servicio. Si el pago está ahí, ya se hizo, y no se envía nada. Si no está, se envía otra vez con la misma clave: el servicio no hace un segundo pago mientras recuerde la clave. payctl confía en una clave durante 24 horas (--key-life). Si el pago es más antiguo, pregunta; con --yes no envía nada y el código de salida es 10.',
  'Exit code 10 means that the answer was lost and money may have moved. Resume the payment; do not send it as a new payment. All codes: payctl help exit-codes':
    'El código de salida 10 significa que la respuesta se perdió y es posible que el dinero se haya movido. Retome el pago; no lo envíe como un pago nuevo. Todos los códigos: payctl help exit-codes',
  'Scripts: give --idempotency-key your own name for the payment, such as an invoice number. If the script runs again on this machine, payctl reads the payment that was made. On another machine, only the service can prevent a second payment, as long as it remembers the key. --yes asks nothing, --dry-run sends nothing.':
    'En scripts: indique en --idempotency-key su propio nombre para el pago, como un número de factura. Si el script se ejecuta otra vez en este equipo, payctl consulta el pago ya hecho. En otro equipo, solo el servicio puede evitar un segundo pago, mientras recuerde la clave. --yes no pregunta nada, --dry-run no envía nada.',

  // exit-codes
  ...exitCodes,
  interrupted: 'interrumpido',
} as const satisfies Catalogue
