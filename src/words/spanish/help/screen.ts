import type { Catalogue } from '../../text.ts'

/** Headings of a help screen, flags of many commands, and the list of all commands. */
export const screen = {
  Usage: 'Uso',
  Arguments: 'Argumentos',
  Options: 'Opciones',
  Commands: 'Comandos',
  Examples: 'Ejemplos',
  Topics: 'Temas',
  Everything: 'Ayuda completa',
  'Options of every command': 'Opciones de todos los comandos',
  default: 'predeterminado',
  'one of': 'uno de',

  // Flags of many commands
  'show this help': 'muestra esta ayuda',
  'do not ask': 'no pregunta',
  'time limit': 'tiempo máximo',
  'maximum number': 'cantidad máxima',
  'replace an existing file': 'reemplaza un archivo existente',
  'every page, as one list': 'todas las páginas, en una sola lista',
  'page to list (default: 1)': 'número de página (predeterminado: 1)',
  "print the service's own page object, in JSON or YAML": 'en JSON o YAML, la página tal como la envía el servicio',
  'columns to print: a,b; --columns help lists all': 'columnas: a,b; --columns help las muestra todas',
  'sort the list; <column>:desc downwards': 'ordena la lista; <columna>:desc, de mayor a menor',

  // payctl --help
  'Payments from the terminal: accounts, PIN and SINPE Móvil payments, and an offline emulator.':
    'Pagos desde la terminal: cuentas, pagos por PIN y SINPE Móvil, y un emulador para trabajar sin conexión.',
  'run the service on this machine': 'ejecuta el servicio en este equipo',
  'in another terminal': 'en otra terminal',
  'run a suite against it': 'ejecuta pruebas con el emulador',
  'help on one command': 'ayuda de un comando',
  'also: environment, files, formats,': 'otros: environment, files, formats,',
  Money: 'Dinero',
  Lookups: 'Consultas',
  Events: 'Eventos',
  Offline: 'Sin conexión',
  Login: 'Ingreso',
  More: 'Más',
  'Receive and forward events, manage subscriptions': 'Recibe y reenvía eventos, administra suscripciones',
  'Run the whole service on this machine': 'Ejecuta todo el servicio en este equipo',
  'Steer a running emulator: clock, rails, credits, reset': 'Controla un emulador: reloj, canales, depósitos, reinicio',
  'Check what payctl depends on, and say what to do': 'Revisa lo que payctl necesita, e indica qué hacer',
  'Call any endpoint directly, or list all endpoints': 'Llama a cualquier endpoint, o los muestra todos',
  'Print the OpenAPI document of the service': 'Muestra el documento OpenAPI del servicio',
  'JSON Schema of a command’s output': 'JSON Schema de la salida de un comando',
} as const satisfies Catalogue
