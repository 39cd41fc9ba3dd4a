import type { Catalogue } from '../text.ts'

/** Profiles, the place of logins, `payctl init`, and aliases. */
export const profiles = {
  current: 'en uso',
  LIVE: 'REAL',
  'the emulator that runs here': 'el emulador en ejecución',
  'client id': 'cliente OAuth',
  'fx provider': 'proveedor del tipo de cambio',
  from: 'cuenta de origen',
  'key life': 'vigencia de las claves',
  output: 'formato',
  lang: 'idioma',
  'built in': 'incluido',
  '{} is set in this shell, to {}, and takes precedence over the chosen profile.':
    'En esta terminal está definida {} ({}), que tiene prioridad sobre el perfil elegido.',

  // Changes of a profile
  'No value is given for profile {}.': 'No se indicó ningún valor para el perfil {}.',
  '{} is both given and unset.': 'Se pidió definir y también borrar {}.',
  'A profile does not store a token.': 'Un perfil no guarda tokens.',
  'The profile emulator is built in: only --from can be set. Nothing was saved.':
    'El perfil emulator viene incluido: solo se puede definir --from. No se guardó nada.',
  'The profile {} has no base URL to send requests to. Nothing was saved.':
    'El perfil {} no tiene la dirección de un servicio. No se guardó nada.',
  'To use this profile for one command, add -p {}.': 'Para usar este perfil en un comando, agregue -p {}.',
  'To use it for all commands': 'Para usarlo en todos los comandos',
  'A login at {} can’t be used at {}.': 'Una sesión de {} no sirve en {}.',
  'Log in there': 'Ingrese allí',
  'The OAuth server of the profile is still {}.': 'El servidor OAuth del perfil sigue siendo {}.',
  'If that server belongs to the old service': 'Si ese servidor es del servicio anterior',
  "{} is an emulator: no real money moves there, so the profile can't be live. Nothing was saved.":
    '{} es un emulador: allí no se mueve dinero real, así que el perfil no se puede marcar como real. No se guardó nada.',
  'Mark the profile of the real service': 'Marque el perfil del servicio real',
  'This name is built in: it stands for the emulator that is running':
    'Ese nombre viene incluido: es el del emulador en ejecución',
  'Give a name of lower case letters, digits and underscores':
    'Indique un nombre con letras minúsculas, dígitos y guiones bajos',

  // The default account of a profile
  'the token is not allowed to read accounts': 'el token no permite consultar cuentas',
  'The account {} was not checked: {}.': 'No se revisó la cuenta {}: {}.',
  '--from "{}" can\'t be found: {}.': 'No se puede buscar --from "{}": {}.',
  'Give the whole id of the account': 'Indique el identificador completo de la cuenta',
  'Log in to profile {} first: the account cannot be looked up yet. Nothing was saved.':
    'Ingrese primero en el perfil {}: todavía no se puede consultar la cuenta. No se guardó nada.',
  'Make the profile without --from': 'Cree el perfil sin --from',

  // A profile that is deleted
  "The profile {} is built in and can't be deleted.": 'El perfil {} viene incluido y no se puede eliminar.',
  'To stop an emulator, press Ctrl-C where it runs': 'Para detener un emulador, presione Ctrl-C donde se ejecuta',
  'the profile {}': 'el perfil {}',
  'The profile has limits or is live, so a person must agree: run the command at a terminal':
    'El perfil tiene límites o mueve dinero real, así que debe aceptarlo una persona: ejecute el comando en una terminal',
  'Delete the profile {} ({}) and its login?': '¿Eliminar el perfil {} ({}) y la sesión de ese perfil?',
  'nothing was deleted': 'no se eliminó nada',
  'The profile in use is now {}.': 'Ahora el perfil en uso es {}.',
  'To choose another': 'Para elegir otro',

  // The place of logins
  'the system’s keyring': 'el llavero del sistema',
  '1 login': '1 sesión',
  '{} logins': '{} sesiones',
  'Logins are now saved in {} ({}).': 'Las sesiones se guardan ahora en {} ({}).',
  "The entry of profile '{}' in the keyring is damaged. Nothing was moved.":
    "Los datos del perfil '{}' en el llavero están dañados. No se trasladó nada.",
  "Logins must be saved in the system’s keyring, but this payctl can't use a keyring: {}.":
    'Las sesiones se deben guardar en el llavero del sistema, pero este payctl no puede usar un llavero: {}.',
  "the keyring module inside payctl's executable can't be loaded on this system":
    'en este sistema no se puede cargar el módulo del llavero que viene en el ejecutable de payctl',
  'the package @napi-rs/keyring is not installed': 'falta instalar el paquete @napi-rs/keyring',
  'the package @napi-rs/keyring has no binary for this system ({})':
    'el paquete @napi-rs/keyring no tiene un programa para este sistema ({})',
  'Give the token in PAYCTL_TOKEN': 'Indique el token en PAYCTL_TOKEN',
  'Install payctl with npm and its optional packages (--include=optional), or give the token in PAYCTL_TOKEN':
    'Instale payctl con npm y sus paquetes opcionales (--include=optional), o indique el token en PAYCTL_TOKEN',
  "The system’s keyring can't be used: {}.": 'No se puede usar el llavero del sistema: {}.',
  'the keyring did not return what was saved': 'el llavero no devolvió lo que se guardó',
  'Start and unlock the keyring, or give the token in PAYCTL_TOKEN':
    'Inicie y desbloquee el llavero, o indique el token en PAYCTL_TOKEN',

  // payctl init
  'This command asks questions, so it needs a terminal.': 'Este comando hace preguntas, así que necesita una terminal.',
  'By commands: {}': 'Con comandos: {}',
  'Which service do you use?': '¿Qué servicio usa usted?',
  '{}, as now': '{}, como hasta ahora',
  'The emulator at {}': 'El emulador en {}',
  'A service: type its base URL': 'Un servicio: escriba la dirección',
  'Another service: type its base URL': 'Otro servicio: escriba la dirección',
  'None for now': 'Ninguno por ahora',
  'Base URL:': 'Dirección del servicio:',
  'The profile {} is for another service. Name of a new profile:':
    'El perfil {} es de otro servicio. Nombre de un perfil nuevo:',
  'Profile {} already exists.': 'El perfil {} ya existe.',
  'How do you log in?': '¿Cómo quiere ingresar?',
  'Stay logged in as {}': 'Seguir con la sesión de {}',
  'Stay logged in': 'Seguir con la sesión actual',
  'In the browser': 'En el navegador',
  'With a token from the dashboard': 'Con un token del panel',
  'Not now': 'Ahora no',
  'Pay by default from:': 'Cuenta de origen predeterminada:',
  'None: ask each time': 'Ninguna: preguntar cada vez',
  'This login can’t read any active account, so no default account was set.':
    'Esta sesión no permite consultar ninguna cuenta activa, así que no se definió una cuenta predeterminada.',
  'The accounts could not be read: {}': 'No se pudieron consultar las cuentas: {}',
  'To complete payctl with Tab': 'Para completar comandos con Tab',
  '{} already sets up completion for payctl.': '{} ya tiene la línea para completar comandos de payctl.',
  'Complete payctl with Tab in {}?': '¿Completar los comandos de payctl con Tab en {}?',
  'Yes: add a line to {}': 'Sí: agregar una línea a {}',
  No: 'No',
  'Added to {}: {}. Open a new terminal to use completion.':
    'Se agregó a {}: {}. Abra otra terminal para que tenga efecto.',
  "{} can't be changed: {}.": 'No se puede cambiar {}: {}.',
  'Add the line yourself': 'Agregue usted la línea',
  'No service is set.': 'No se indicó ningún servicio.',
  'To set one': 'Para indicar uno',
  'payctl is set up.': 'payctl ya está configurado.',
  'To begin': 'Para empezar',

  // Aliases
  command: 'comando',
  'There is no payee {} yet.': 'Todavía no hay un destinatario {}.',
  'Save the payee before you use the short form': 'Guarde el destinatario antes de usar la abreviatura',
  "{} is a built-in short form and can't be deleted.": '{} es una abreviatura de payctl y no se puede eliminar.',
  'See yours': 'Para ver las suyas',
  'No alias {} in {}.': 'No existe la abreviatura {} en {}.',
  'The command has an unclosed quote.': 'Al comando le falta cerrar unas comillas.',
  'Close it': 'Ciérrelas',
  "{} is a command of payctl: a short form can't hide it.":
    '{} es un comando de payctl: una abreviatura no puede reemplazarlo.',
  'Choose another name': 'Elija otro nombre',
  "The name {} can't be typed as a command.": 'El nombre {} no se puede escribir como comando.',
  'Letters, digits, - and _': 'Use letras, dígitos, - y _',
  'The alias contains no command.': 'La abreviatura no contiene ningún comando.',
  '{} is not a command of payctl.': '{} no es un comando de payctl.',
  'See the commands': 'Para ver los comandos',
  'The alias {} takes 1 value: it stands for {}.': 'La abreviatura {} necesita 1 valor: representa {}.',
  'The alias {} takes {} values: it stands for {}.': 'La abreviatura {} necesita {} valores: representa {}.',
} as const satisfies Catalogue
