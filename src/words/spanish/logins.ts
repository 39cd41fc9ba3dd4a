import type { Catalogue } from '../text.ts'

/** Logins: their errors, and the questions and results of login and logout. */
export const logins = {
  'The login has ended: the service no longer renews it.': 'La sesión terminó: el servicio ya no la renueva.',
  "The login has ended: a renewal at {} was cut off before its answer came, and can't be repeated.":
    'La sesión terminó: una renovación ({}) se interrumpió antes de recibir respuesta, y no se puede repetir.',
  'The login could not be renewed: {}': 'No se pudo renovar la sesión: {}',
  "Profile '{}' is logged in to {}, and its token is not sent to {}.":
    "La sesión del perfil '{}' es de {}, y su token no se envía a {}.",
  'Set PAYCTL_TOKEN, or log in there with a separate profile': 'Defina PAYCTL_TOKEN, o ingrese allí con otro perfil',
  "Somebody logged in to profile '{}' while this run was under way, perhaps as another user: {}. Nothing more was sent.":
    "Alguien ingresó en el perfil '{}' mientras se ejecutaba este comando, quizá como otro usuario: {}. No se envió nada más.",
  'the user of the previous login is not known': 'no se conoce el usuario de la sesión anterior',
  'the run began as {}': 'el comando empezó como {}',
  'the service does not say whose login it is ({})': 'el servicio no dice de quién es la sesión ({})',
  'The service refused the login ({})': 'El servicio rechazó el ingreso ({})',
  'Access was denied on the service’s page': 'El acceso se denegó en la página del servicio',
  'To log in again and allow access': 'Para ingresar otra vez y permitir el acceso',
  'The service does not accept the client id or its secret':
    'El servicio no acepta el id de cliente o el secreto del cliente',
  'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET':
    'Revise los dos: --client-id o PAYCTL_CLIENT_ID, --client-secret-file o PAYCTL_CLIENT_SECRET',
  'The code is wrong, used or expired': 'El código es incorrecto, ya se usó o venció',
  'At least one requested scope is not allowed for this client':
    'Al menos uno de los permisos solicitados no se le permite a este cliente',
  'To ask for other scopes': 'Para pedir otros permisos',
  'The client is not allowed to log in this way': 'El cliente no puede ingresar de esta manera',
  'The service failed to log you in': 'El servicio no pudo completar el ingreso',
  'The service is overloaded': 'El servicio está saturado',
  'No answer from the OAuth server {}: {}.': 'El servidor OAuth {} no respondió: {}.',
  'Check the auth URL and the network': 'Revise la dirección de ingreso y la red',
  'The OAuth server answered 429: too many requests.': 'El servidor OAuth respondió 429: demasiadas solicitudes.',
  'The OAuth server answered {}.': 'El servidor OAuth respondió {}.',
  'The OAuth server answered {}, a redirect; payctl does not follow it.':
    'El servidor OAuth respondió {}, una redirección que payctl no sigue.',
  'Check that the auth URL is the URL of the OAuth server: --verbose shows the answer':
    'Revise que la dirección de ingreso sea la del servidor OAuth: --verbose muestra la respuesta',
  'The OAuth server answered without an access token.': 'El servidor OAuth respondió sin un token de acceso.',
  'The OAuth server issued a token of a type that payctl can’t use.':
    'El servidor OAuth entregó un tipo de token que payctl no puede usar.',

  // Login in a browser, or with a token
  'Logging in with a browser needs a person at a terminal.':
    'Para ingresar con un navegador se necesita una persona en una terminal.',
  'Set PAYCTL_TOKEN, or give a token from the dashboard on stdin (< token.txt)':
    'Defina PAYCTL_TOKEN, o indique un token del panel por la entrada estándar (< token.txt)',
  'Open this address in a browser:': 'Abra esta dirección en un navegador:',
  'Opening your browser to log in. Press Ctrl-C to stop waiting.':
    'Se abre el navegador para ingresar. Presione Ctrl-C para no esperar más.',
  'If the browser does not open, use this address:': 'Si el navegador no se abre, use esta dirección:',
  'No browser could be started. Open this address:': 'No se pudo abrir un navegador. Abra esta dirección:',
  'Or paste here the address that the browser went to, or the code in that address:':
    'O pegue aquí la dirección a la que llegó el navegador, o el código que esa dirección contiene:',
  'That is not the answer to this login: paste the whole address that the browser went to.':
    'Esa no es la respuesta a este ingreso: pegue la dirección completa a la que llegó el navegador.',
  'Refused a request to the callback address: it is not the answer to this login. Still waiting.':
    'Se rechazó una solicitud que llegó a la dirección de retorno y no es la respuesta a este ingreso. Se sigue esperando.',
  'No answer came from the browser in time, so you are not logged in.':
    'El navegador no respondió a tiempo: no se ingresó.',
  'If no browser can reach this machine, add --no-browser.':
    'Si ningún navegador puede llegar a este equipo, agregue --no-browser.',
  "Port {} of this machine can't be used: {}.": 'No se puede usar el puerto {} de este equipo: {}.',
  'it is taken': 'está ocupado',
  'Give another port with --port, or leave --port out': 'Indique otro puerto con --port, o quite --port',
  'Client id': 'Id de cliente',
  'Secret of client {}': 'Secreto del cliente {}',
  'Token from the dashboard': 'Token del panel',
  '[input is masked]': '[no se muestra lo que escribe]',
  'Type something, or Ctrl-C to stop.': 'Escriba algo, o presione Ctrl-C para terminar.',
  'No answer came: not logged in.': 'No hubo respuesta: no se ingresó.',
  'PAYCTL_CLIENT_SECRET is not used: {}.': 'PAYCTL_CLIENT_SECRET no se usa: {}.',
  'with --profile, payctl ignores the environment': '--profile tiene prioridad sobre las variables de entorno',
  'PAYCTL_BASE_URL says that the secret belongs to {}': 'PAYCTL_BASE_URL indica que el secreto es de {}',
  'it is sent only to an emulator that PAYCTL_BASE_URL or --base-url names':
    'solo se envía a un emulador que indiquen PAYCTL_BASE_URL o --base-url',
  'PAYCTL_AUTH_URL says that the secret belongs to {}': 'PAYCTL_AUTH_URL indica que el secreto es de {}',
  'Logged in.': 'Sesión iniciada.',
  'Logged in as {} ({}).': 'Sesión iniciada como {} ({}).',
  '{} is also set, and takes precedence over this login.':
    'También se indicó {}, que tiene prioridad sobre esta sesión.',
  'Not granted: {}. Commands that need these scopes will say so.':
    'Permisos no concedidos: {}. Los comandos que los necesiten lo indicarán.',
  'The user could not be looked up: {}': 'No se pudo consultar el usuario: {}',
  '{} does not accept the token of the OAuth server: not logged in.':
    '{} no acepta el token del servidor OAuth: no se ingresó.',
  'Check that base URL and auth URL belong together':
    'Revise que la dirección del servicio y la de ingreso sean del mismo servicio',
  '{} does not accept this token: {} It was not saved.': '{} no acepta este token: {} No se guardó.',
  'Copy the whole token from the dashboard again, and check that it is for this service':
    'Copie otra vez el token completo del panel, y revise que sea para este servicio',
  "Profile '{}' goes to {} from now on.": "Desde ahora el perfil '{}' usa el servicio {}.",

  // Addresses and profiles
  'The base URL': 'La dirección del servicio',
  'The auth URL': 'La dirección de ingreso',
  'is not the address of a service': 'no es una dirección web',
  'must not contain a user name or password': 'no debe tener nombre de usuario ni contraseña',
  'must not contain a query or fragment': 'no debe tener nada después de ? o #',
  'Give a URL like https://api.example.com': 'Indique una dirección como https://api.example.com',
  'Leave them out: a token identifies the user': 'Quítelos: el token identifica al usuario',
  "Profile '{}' is for {}, and this login is for {}.": "El perfil '{}' es de {}, y este ingreso es para {}.",
  'Use another profile': 'Use otro perfil',
  "'{}' can't be the name of a profile.": "'{}' no puede ser el nombre de un perfil.",

  // The state of a login, and its end
  email: 'correo',
  scopes: 'permisos',
  'expires at': 'vence',
  renewal: 'modo de renovación',
  kind: 'tipo',
  'auth url': 'dirección de ingreso',
  source: 'origen',
  automatic: 'automático',
  oauth: 'ingreso con el navegador',
  dashboard: 'token del panel',
  given: 'token indicado',
  emulator: 'token del emulador',

  // Secrets
  'The token': 'El token',
  'The client secret': 'El secreto del cliente',
  'Give the secret alone, without quotes or a name before it':
    'Indique solo el secreto, sin comillas ni un nombre delante',
  'Give a file that holds only the secret': 'Indique un archivo que contenga solo el secreto',
  '{} and {} are both set.': 'Están definidas tanto {} como {}.',
  'Unset {}': 'Quite la variable {}',
  '{} begins with Bearer.': '{} empieza con Bearer.',
  'Leave that word out': 'Quite esa palabra',
  '{} has quotes around it.': '{} está entre comillas.',
  'Leave them out': 'Quítelas',
  "{} has spaces, line breaks or other characters that a secret can't have.":
    '{} tiene espacios, saltos de línea u otros caracteres que un secreto no puede tener.',
  '{} should come on stdin, but stdin is a terminal, which would show the secret while it is typed.':
    '{} debe llegar por la entrada estándar, pero esa entrada es una terminal, que mostraría el secreto al escribirlo.',
  'Give the secret from a file or a pipe: < secret.txt. payctl asks for it, hidden, if stderr is a terminal too':
    'Indíquelo desde un archivo o una tubería: < secret.txt. Si stderr también es una terminal, payctl lo pide sin mostrarlo',
  '{} has more than {} KiB, which is too long for a secret.':
    '{} tiene más de {} KiB: es demasiado largo para un secreto.',
  'Give only the secret': 'Indique solo el secreto',
  'The login has ended.': 'La sesión terminó.',
  'The service has refused to renew the login.': 'El servicio rechazó la renovación de la sesión.',
  'Log in again': 'Para ingresar otra vez',
  "Logged out: the tokens of profile '{}' are gone from this machine.":
    "Sesión cerrada: los tokens del perfil '{}' ya no están en este equipo.",
  Again: 'Para ingresar otra vez',
  "Profile '{}' was not logged in.": "El perfil '{}' no tenía una sesión.",
  'PAYCTL_TOKEN is still set, so payctl still uses it.': 'PAYCTL_TOKEN sigue definida, así que payctl todavía la usa.',
  '{}: nothing to renew.': '{}: no hay nada que renovar.',
  'The token comes from a flag or the environment': 'El token viene de una opción o de una variable de entorno',
  'This login has no refresh token': 'Esta sesión no tiene token de renovación',
  'To get a token that payctl can renew': 'Para obtener un token que payctl pueda renovar',

  // Pages of the browser after a login
  'You are logged in': 'Ya ingresó',
  'payctl has what it needs. You can close this page and go back to the terminal.':
    'payctl tiene lo que necesita. Puede cerrar esta página y volver a la terminal.',
  'Not logged in': 'No se pudo ingresar',
  '{} The terminal says how to continue. You can close this page.':
    '{} La terminal indica cómo continuar. Puede cerrar esta página.',
  'Something went wrong.': 'Hubo un problema.',
  'This is not the answer that payctl is waiting for': 'Esta no es la respuesta que payctl espera',
  'Nothing was changed. Use the address that payctl printed in the terminal, or start again there.':
    'No se cambió nada. Use la dirección que payctl mostró en la terminal, o empiece allí otra vez.',
} as const satisfies Catalogue

/** Faults of a service's address, which the client reports in English. */
export const addressPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^must begin with https:\/\/ or http:\/\/, not (\S+)$/, 'debe empezar con https:// o http://, no con $1'],
  [
    /^is http on another machine \((\S+)\): anyone on the network path could read the token and move money$/,
    'usa http con otro equipo ($1): cualquiera en la red podría leer el token y mover dinero',
  ],
  [/^Use (https:\/\/\S+)$/, 'Escriba $1'],
]
