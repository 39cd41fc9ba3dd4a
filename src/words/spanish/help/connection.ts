import type { Catalogue } from '../../text.ts'

/** `init`, `login`, `logout`, `auth`, `profiles`, `config`, `alias`, `completion`, `explain`, `help`. */
export const connection = {
  'Set up service, login, account, Tab': 'Configura el servicio, el ingreso, la cuenta y Tab',
  'Ask for what payctl needs: the service, a login, the default account to pay from, and Tab completion. Each step runs the command that it shows, and can be skipped. Each finished step is saved: run the command again to change a step. Without a terminal, payctl names the commands and exits with 2.':
    'Pregunta lo que payctl necesita: el servicio, el ingreso, la cuenta de origen predeterminada y el uso de Tab para completar. Cada paso ejecuta el comando que muestra, y se puede omitir. Cada paso terminado se guarda: para cambiar uno, ejecute el comando otra vez. Sin una terminal, termina con el código 2 e indica los comandos.',

  // login, logout, auth
  'Log in in your browser, or with a token': 'Inicia sesión en su navegador, o con un token',
  'Log in to the service in your browser, or with a token from its dashboard. The login is saved for the profile in a file that only you can read, or in the keyring (see payctl config set). Every command uses the login, and renews it when necessary. payctl login needs a terminal, except with --with-token. Exit 5: access was denied, or the client is not allowed to log in this way; 4: nobody answered, or the client, code or token was not accepted; 7: any other refusal; 12: the OAuth server failed, or can’t be reached.':
    'Inicia sesión en el servicio con su navegador, o con un token del panel del servicio. La sesión se guarda para el perfil en un archivo que solo usted puede leer, o en el llavero del sistema (vea payctl config set). Todos los comandos la usan, y la renuevan a tiempo. payctl login necesita una terminal, excepto con --with-token. Código de salida 5: se negó el acceso; 4: nadie respondió, o no se aceptó el cliente, el código o el token; 7: cualquier otro rechazo; 12: el servidor OAuth falló, o no responde.',
  'the first time': 'la primera vez',
  'over ssh': 'por ssh',
  'log in with a token from the dashboard, read from stdin':
    'lee de stdin un token del panel, en vez de usar el navegador',
  "scopes for payctl (default: the service's choice): read-user, read-accounts, manage-accounts, send-payments, manage-webhooks":
    'permisos para payctl (predeterminado: los que elija el servicio): read-user, read-accounts, manage-accounts, send-payments, manage-webhooks',
  'OAuth client (default: PAYCTL_CLIENT_ID, the profile’s, or payctl asks)':
    'cliente OAuth (predeterminado: PAYCTL_CLIENT_ID, el del perfil, o payctl pregunta)',
  'file with the client’s secret, - for stdin (default: PAYCTL_CLIENT_SECRET, or payctl asks)':
    'archivo con el secreto del cliente, - para stdin (predeterminado: PAYCTL_CLIENT_SECRET, o payctl pregunta)',
  'print the address instead of opening it, then ask for the address that the browser went to':
    'muestra la dirección en vez de abrirla, y luego pide la dirección a la que llegó el navegador',
  'port of this machine where the answer arrives, for a client with a registered port (default: any)':
    'puerto de este equipo donde llega la respuesta, si el cliente registró uno (predeterminado: cualquiera)',
  'time limit for you to log in: 90s, 10m (default: 5m)': 'tiempo máximo para ingresar: 90s, 10m (predeterminado: 5m)',
  'Forget the login': 'Cierra la sesión en este equipo',
  'Forget the login of the profile; the profile stays. The tokens stay valid at the service until they expire.':
    'Borra de este equipo la sesión del perfil; el perfil se conserva. Los tokens siguen vigentes en el servicio hasta que vencen.',
  'Show, print and renew the login': 'Muestra la sesión y su token, y la renueva',
  'Show the login, print its token, and renew it.': 'Muestra la sesión, imprime su token y la renueva.',
  'Show the user, service, scopes and expiry of the login':
    'Muestra quién ingresó, dónde, con qué permisos y hasta cuándo',
  'Show the user, service, scopes and expiry of the login. Makes no request. Exit code 4 if nobody is logged in, the login has ended, or the service has refused to renew it.':
    'Muestra quién ingresó, dónde, con qué permisos y hasta cuándo. No hace solicitudes. Código de salida 4 si nadie ha ingresado, si la sesión venció o si el servicio se negó a renovarla.',
  'Print the access token, for other tools': 'Imprime el token de acceso, para otros programas',
  'Print only the access token, on one line. Renews the token first if it is about to expire. Anybody who reads it can use it: keep it out of files, logs and the arguments of commands.':
    'Imprime solo el token de acceso, en una línea; antes lo renueva si está por vencer. Cualquiera que lo lea puede usarlo: no lo ponga en archivos, bitácoras ni argumentos de comandos.',
  'Renew the login now': 'Renueva la sesión ahora',
  'Renew the login now. Other commands renew the login automatically when necessary.':
    'Renueva la sesión ahora. Los demás comandos la renuevan solos cuando hace falta.',

  // profiles
  'Save services by name, and choose one': 'Guarda servicios por nombre, y elige uno',
  'Save services by name, each with its URL, OAuth client and settings; never a token. A command uses the profile that -p names, else PAYCTL_PROFILE, else the profile chosen with payctl profiles use, else default. With -p, payctl ignores PAYCTL_BASE_URL, PAYCTL_TOKEN and the like, which may belong to another service.':
    'Guarda servicios por nombre, cada uno con su URL, su cliente OAuth y sus ajustes; nunca un token. Un comando usa el perfil que indica -p; si no, el de PAYCTL_PROFILE; si no, el que se eligió con payctl profiles use; si no, default. Con -p, payctl no toma en cuenta PAYCTL_BASE_URL, PAYCTL_TOKEN ni similares, que pueden ser de otro servicio.',
  'List profiles, and which one is in use': 'Muestra los perfiles, y cuál está en uso',
  'Choose the profile that commands use from now on': 'Elige el perfil que los comandos usarán desde ahora',
  'Create a profile, or change its values': 'Crea un perfil o cambia sus valores',
  'Delete one, with its login': 'Elimina uno, con su sesión',
  'List the profiles, and which one is in use': 'Muestra los perfiles, y cuál está en uso',
  'Choose the profile that commands use unless -p or PAYCTL_PROFILE names another.':
    'Elige el perfil que los comandos usan si ni -p ni PAYCTL_PROFILE indican otro.',
  'name of a profile, emulator (the running emulator) or default':
    'nombre de un perfil, emulator (el emulador en ejecución) o default',
  'Create a profile, or change some of its values. A profile has no token: see payctl login.':
    'Crea un perfil o cambia algunos de sus valores. Un perfil no tiene token: vea payctl login.',
  'letters, digits, dot, dash and underscore (default: the profile in use)':
    'letras, dígitos, punto, guion y guion bajo (predeterminado: el perfil en uso)',
  'URL of the service; a new profile needs it': 'dirección del servicio; un perfil nuevo la necesita',
  'OAuth server of the service (default: the base URL)':
    'servidor OAuth del servicio (predeterminado: la dirección del servicio)',
  'output format of its commands, unless -o or PAYCTL_OUTPUT names another':
    'formato de salida con este perfil, si ni -o ni PAYCTL_OUTPUT indican otro',
  'language of its notes, questions, errors and help, unless --lang or PAYCTL_LANG names another':
    'idioma de avisos, preguntas, errores y ayuda con este perfil, si ni --lang ni PAYCTL_LANG indican otro',
  'OAuth client of payctl at this service': 'cliente OAuth de payctl en este servicio',
  'name of the upstream rate provider in URL paths (default: upstream)':
    'nombre del proveedor del tipo de cambio en las rutas (predeterminado: upstream)',
  'default account to pay from: its IBAN or id, the end of either, or its currency':
    'cuenta de origen predeterminada: su IBAN o id, el final de uno de ellos, o su moneda',
  'time for which the service remembers idempotency keys (default: 24h)':
    'tiempo que el servicio recuerda las claves de idempotencia (predeterminado: 24h)',
  'forget a value: auth-url, client-id, fx-provider, from, key-life, output, lang; may be repeated':
    'borra un valor: auth-url, client-id, fx-provider, from, key-life, output, lang; se puede repetir',
  'real money moves here: questions say so, and a person must type large amounts (payctl limits set)':
    'aquí se mueve dinero real: las preguntas lo dicen, y una persona debe escribir los montos grandes (payctl limits set)',
  'no real money moves here; only a person at a terminal can set this':
    'aquí no se mueve dinero real; solo una persona en una terminal puede indicarlo',
  'Delete a profile, after asking, and forget its login, whose tokens stay valid at the service until they expire. Only a person at a terminal can delete a profile that is live or has limits: see payctl limits.':
    'Elimina un perfil, después de preguntar, y borra su sesión, cuyos tokens siguen vigentes en el servicio hasta que vencen. Solo una persona en una terminal puede eliminar un perfil con dinero real o con límites: vea payctl limits.',
  'the profile': 'el perfil',

  // config
  'Where payctl keeps its files and logins': 'Dónde guarda payctl sus archivos y sesiones',
  'Print the path of the config file': 'Muestra la ruta del archivo de configuración',
  'Print the path of the config file, even if the file does not exist yet. With --json or another data format, also print the paths of the credentials, the state folder, the journal of payments, the limits and the audit file. PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR name other folders.':
    'Muestra la ruta del archivo de configuración, aunque todavía no exista. Con --json u otro formato de datos, muestra también las rutas de las credenciales, la carpeta de estado, el registro de pagos, los límites y el archivo de auditoría. PAYCTL_CONFIG_DIR y PAYCTL_STATE_DIR indican otras carpetas.',
  'Keep logins in the system’s keyring, or in a file': 'Guarda las sesiones en el llavero del sistema, o en un archivo',
  'Keep logins in the system’s keyring (Secret Service, Keychain, Credential Manager), or in a file that only you can read, which is the default. Moves the saved logins of all profiles. If the keyring can’t be used, the command fails and the logins stay where they are. A command that needs a login from a locked or missing keyring fails too: it never uses the file instead. Repeat the command to complete a move that was interrupted.':
    'Guarda las sesiones en el llavero del sistema (Secret Service, Keychain, Credential Manager), o en un archivo que solo usted puede leer, que es lo predeterminado. Traslada las sesiones guardadas de todos los perfiles. Si no se puede usar el llavero, el comando falla y las sesiones se quedan donde están. También falla un comando que necesita una sesión de un llavero bloqueado o ausente: nunca usa el archivo en su lugar. Si un traslado se interrumpe, repita el comando para completarlo.',
  'the setting': 'el ajuste',
  'place for the logins': 'el lugar de las sesiones',

  // alias, completion
  'Your own short forms of commands': 'Sus propias abreviaturas de comandos',
  'Your own short forms of commands. Saved in aliases.json beside the profiles.':
    'Sus propias abreviaturas de comandos. Se guardan en aliases.json, junto a los perfiles.',
  'Create or change a short form': 'Crea o cambia una abreviatura',
  'List your short forms and those built into payctl': 'Muestra las abreviaturas, también las de payctl',
  'Delete a short form': 'Elimina una abreviatura',
  'Create or change a short form of a command. $1 to $9 are the words that follow the short form; any further words come last. A short form can stand for any command with any flags, but can’t have the name of a command. payctl immediately refuses a value that no payment can have, such as a description of 13 characters.':
    'Crea o cambia la abreviatura de un comando. $1 a $9 son las palabras que siguen a la abreviatura; las demás van al final. Una abreviatura puede representar cualquier comando con cualquier opción, pero no puede llamarse como un comando. Un valor que ningún pago puede tener, como un detalle de 13 caracteres, se rechaza de inmediato.',
  'letters, digits, dash and underscore': 'letras, dígitos, guion y guion bajo',
  'the command in quotes, without payctl': 'el comando entre comillas, sin payctl',
  'List the short forms of commands: your own first, then those built into payctl.':
    'Muestra las abreviaturas de comandos: primero las suyas, después las que trae payctl.',
  'Delete one of your short forms. Prints nothing.': 'Elimina una de sus abreviaturas. No muestra nada.',
  'as payctl alias list shows it': 'como la muestra payctl alias list',
  'Script that makes your shell complete payctl with Tab': 'Script para completar payctl con Tab en su shell',
  'Print the script that makes a shell complete payctl with Tab: commands, flags and their values, profiles, payees, and ids of accounts, subscriptions and payments with their descriptions. Accounts and subscriptions come from the service, and are cached for a minute.':
    'Imprime el script para completar payctl con Tab en un shell: comandos, opciones y sus valores, perfiles, destinatarios, e ids de cuentas, suscripciones y pagos con su descripción. Las cuentas y las suscripciones vienen del servicio, y se guardan por un minuto.',
  'your shell': 'el shell',
  'Install the script, then open a new terminal': 'Instale el script, y después abra otra terminal',
  'add to ~/.bashrc': 'se agrega a ~/.bashrc',
  'add to ~/.zshrc, after compinit': 'se agrega a ~/.zshrc, después de compinit',
  'run once': 'se ejecuta una vez',
  'add to the file that $PROFILE names': 'se agrega al archivo que indica $PROFILE',

  // explain, help
  'Explain a code, status, IBAN or reference, offline': 'Explica un código, estado, IBAN o referencia, sin conexión',
  'Explain an exit code, HTTP status, payment status, state code, event, IBAN, phone, reference or identity document. Sends no request; to look up the holder of an IBAN or a phone, use payctl iban or payctl phone.':
    'Explica un código de salida, un estado HTTP, el estado o el código de estado de un pago, un evento, una cuenta IBAN, un teléfono, una referencia o un documento de identidad. No envía solicitudes: payctl iban y payctl phone consultan el titular de una cuenta IBAN o de un teléfono.',
  'a code, status or value; spaces are allowed': 'un código, estado o valor; se permiten espacios',
  'Help on a command, or on a topic': 'Ayuda sobre un comando o un tema',
  'a command, or one of the topics below': 'un comando, o uno de los temas de abajo',
} as const satisfies Catalogue
