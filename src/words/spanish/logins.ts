import type { Catalogue } from '../text.ts'

/** Logins: their errors, and the questions and results of login and logout. */
export const logins = {
  'The login has ended: the service no longer renews it.': 'La sesión terminó: el servicio ya no la renueva.',
  "The login has ended: a renewal at {} was cut off before its answer came, and can't be repeated.":
    'La sesión terminó: una renovación ({}) se interrumpió antes de recibir respuesta, y no se puede repetir.',
  'The login could not be renewed: {}': 'No se pudo renovar la sesión: {}',
  "Profile '{}' is logged in at {}, and its token is not sent to {}.":
    "La sesión del perfil '{}' es de {}, y su token no se envía a {}.",
  'Set PAYCTL_TOKEN, or log in there with a separate profile': 'Defina PAYCTL_TOKEN, o ingrese allí con otro perfil',
  "Somebody has logged in to profile '{}' while this run was under way, perhaps as another user: {}. Nothing more was sent.":
    "Alguien ingresó en el perfil '{}' mientras se ejecutaba este comando, quizá como otro usuario: {}. No se envió nada más.",
  'the user of the previous login is not known': 'no se conoce el usuario de la sesión anterior',
  'it began as {}': 'se empezó como {}',
  'the service does not say whose it is ({})': 'el servicio no dice de quién es ({})',
  'The service refused the login ({})': 'El servicio rechazó el ingreso ({})',
  'Access was denied on the service’s page': 'El acceso se denegó en la página del servicio',
  'To log in again and allow it': 'Para ingresar otra vez y permitirlo',
  'The service does not accept the client id or its secret': 'El servicio no acepta el client id o su secreto',
  'Check both: --client-id or PAYCTL_CLIENT_ID, --client-secret-file or PAYCTL_CLIENT_SECRET':
    'Revise los dos: --client-id o PAYCTL_CLIENT_ID, --client-secret-file o PAYCTL_CLIENT_SECRET',
  'The code is wrong, used or expired': 'El código es incorrecto, ya se usó o venció',
  'The client may not ask for one of the scopes': 'El cliente no puede pedir uno de los permisos',
  'To ask for other scopes': 'Para pedir otros permisos',
  'The client may not log in this way': 'El cliente no puede ingresar de esta manera',
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
} as const satisfies Catalogue
