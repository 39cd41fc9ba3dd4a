import type { Catalogue } from '../text.ts'

/** Answers that don't come from the service, faults of proxies, and requests that can't be sent. */
export const answers = {
  'a web page': 'una página web',
  'an empty body': 'un contenido vacío',
  'something else': 'otra cosa',
  'Check that the base URL is the URL of the API: --verbose shows the answer.':
    'Revise que la dirección del servicio sea la de la API: --verbose muestra la respuesta.',
  'The answer is not from the service, but from something in front of it, such as a gateway. Try again later; --verbose shows the answer.':
    'La respuesta no es del servicio, sino de algo que está delante, como una puerta de enlace. Inténtelo más tarde; --verbose muestra la respuesta.',
  'The base URL ends in /api, which payctl adds itself: give it without /api.':
    'La dirección del servicio termina en /api, que payctl ya agrega: indíquela sin /api.',
  'That world is gone for good. To create another world': 'Ese mundo ya no existe. Para crear otro',
  'The service lists an account without an id or without a currency':
    'El servicio muestra una cuenta sin identificador o sin moneda',

  // Requests that can't be sent
  'The access token is empty': 'El token de acceso está vacío',
  'The access token has characters that a header cannot carry (a line break or a space?). It was not sent':
    'El token de acceso tiene caracteres que no se pueden enviar (¿un salto de línea o un espacio?). El token no se envió',
  'The proxy must be a URL like http://host:3128, with http or https':
    'El proxy debe ser una dirección como http://host:3128, con http o https',
  'the proxy requires a user name and password (407)': 'el proxy pide un usuario y una contraseña (407)',
  'the proxy sent data after its answer': 'el proxy envió datos después de su respuesta',
  'the proxy’s certificate belongs to another host': 'el certificado del proxy es de otro servidor',
  'the proxy closed the connection': 'el proxy cerró la conexión',
  'no connection in time': 'no se estableció la conexión a tiempo',

  // Files
  'Write CSV: --output-file holders.csv': 'Use un archivo CSV: --output-file holders.csv',
  'Nothing was looked up.': 'No se consultó nada.',
  'Free space in the directory for temporary files, or set TMPDIR to another directory':
    'Libere espacio en la carpeta de archivos temporales, o indique otra en TMPDIR',
} as const satisfies Catalogue

export const answerPatterns: readonly (readonly [english: RegExp, spanish: string])[] = [
  [/^The server answered (\d{3}) with (.+) instead of JSON$/, 'El servidor respondió $1 con $2, no con JSON'],
  [/^The server answered (\d{3}) with (.+) instead of a file$/, 'El servidor respondió $1 con $2, no con un archivo'],
  [
    /^The service answered (\d{3}), but its body says success: false$/,
    'El servicio respondió $1, pero su respuesta dice success: false',
  ],
  [/^The service answered (\d{3}), without data in its body$/, 'El servicio respondió $1 sin datos'],
  [
    /^The service answered (\d{3})(?: with .+ for its data|, but its data is .+)$/,
    'El servicio respondió $1 con datos de otro tipo',
  ],
  [
    /^The server answered (\d{3}), a redirect to nowhere\. payctl does not follow redirects with a token: check the base URL$/,
    'El servidor respondió $1, una redirección sin destino. payctl no sigue redirecciones con un token: revise la dirección del servicio',
  ],
  [
    /^The server answered (\d{3}), a redirect to (\S+)\. payctl does not follow redirects with a token: check the base URL$/,
    'El servidor respondió $1, una redirección a $2. payctl no sigue redirecciones con un token: revise la dirección del servicio',
  ],
  [/^The service answered with more than (\S+) MiB$/, 'El servicio respondió con más de $1 MiB'],
  [/^The service answered (\d{3}): (.+)$/, 'El servicio respondió $1: $2'],
  [/^The service answered (\d{3})$/, 'El servicio respondió $1'],
  [/^The server answered (\d{3}): (.+)$/, 'El servidor respondió $1: $2'],
  [/^The server answered (\d{3})$/, 'El servidor respondió $1'],
  [/^(https?:\/\/\S+) through the proxy (\S+)$/, '$1 (por el proxy $2)'],
  [/^the proxy refused the connection \((\w+)\)$/, 'el proxy rechazó la conexión ($1)'],
  [
    /^is http through a proxy on another machine: anyone on the network path could read the token and move money$/,
    'usa http a través de un proxy en otro equipo: cualquiera en la red podría leer el token y mover dinero',
  ],
]
