import type { Catalogue } from '../text.ts'

/** Next steps. The command after these words is never translated. */
export const steps = {
  'Find out first': 'Averígüelo primero',
  'To make the payment again in the current world': 'Para hacer el pago otra vez en el mundo actual',
  'To look for the payment in the current world': 'Para buscar el pago en el mundo actual',
  'To send the corrected payment': 'Para enviar el pago corregido',
  'To pay again, use another key. To find the payment that was made':
    'Para pagar otra vez, use otra clave. Para encontrar el pago que se hizo',
  'To see the outcome': 'Para ver el resultado',
  'List what exists before you repeat the command': 'Revise qué existe antes de repetir el comando',
  'List what exists before you repeat the command, for example':
    'Antes de repetir el comando, revise qué existe, por ejemplo',
  'See what was sent before you repeat anything, for example':
    'Antes de repetir algo, revise qué se envió, por ejemplo',
  'Give an id, an IBAN, the end of one of them, or a currency. To see your accounts':
    'Indique un identificador, una cuenta IBAN, el final de uno de ellos o una moneda. Para ver sus cuentas',
  'You have no account. Open one': 'No tiene ninguna cuenta. Abra una',
  'Choose another profile. Or, at a terminal': 'Elija otro perfil. O, en una terminal',
  'Try again later. To see whether the payment networks are up':
    'Inténtelo más tarde. Para ver si las redes de pago están en línea',
  'Run the same command again: earlier payments existed only in the old world':
    'Ejecute el mismo comando otra vez: los pagos anteriores existían solo en el mundo anterior',
  'Use another key, or leave --idempotency-key out': 'Use otra clave, o quite --idempotency-key',
  'Run the same command again': 'Ejecute el mismo comando otra vez',
  'Run the command with the file again: each row is paid once':
    'Ejecute otra vez el comando con el archivo: cada fila se paga una sola vez',
  'A person must run the command at a terminal, without --yes':
    'Una persona debe ejecutar el comando en una terminal, sin --yes',
  'Give the name as the service has it, or send the payment at a terminal without --yes: payctl then asks':
    'Indique el nombre como lo tiene el servicio, o envíe el pago en una terminal sin --yes: payctl le pregunta',
  'Try again later, or add --name-unchecked at a terminal: payctl then asks':
    'Inténtelo más tarde, o agregue --name-unchecked en una terminal: payctl le pregunta',
  'Check the id or value that you gave; --verbose shows where the request went.':
    'Revise el identificador o el valor que indicó; --verbose muestra adónde fue la solicitud.',
  'Check the current state before you decide: the change may already have been made.':
    'Revise el estado actual antes de decidir: puede que el cambio ya esté hecho.',
  'Wait a minute and run the command again, or let payctl wait longer: --retries 10':
    'Espere un minuto y ejecute el comando otra vez, o deje que payctl espere más: --retries 10',
  'Change {} and run the command again.': (flags) =>
    `Corrija ${flags.replaceAll(' and ', ' y ')} y ejecute el comando otra vez.`,
  'Check the base URL and the network, or work offline':
    'Revise la dirección del servicio y la red, o trabaje sin conexión',
  'Check the network, and that the base URL is right: {}. To look closer':
    'Revise la red y que la dirección del servicio sea correcta: {}. Para ver más detalles',
  'Log in, or set PAYCTL_TOKEN. With a running emulator, --emulator finds its token.':
    'Ingrese, o defina PAYCTL_TOKEN. Con un emulador en ejecución, --emulator encuentra su token.',
  'Log in again, or set PAYCTL_TOKEN to a token that is still valid. With a running emulator, --emulator finds its token.':
    'Ingrese otra vez, o defina PAYCTL_TOKEN con un token vigente. Con un emulador en ejecución, --emulator encuentra su token.',
  'Log in again and allow the scope, or set PAYCTL_TOKEN to a token that has it':
    'Ingrese otra vez y conceda el permiso, o defina PAYCTL_TOKEN con un token que lo tenga',
  'Try again later, or log in again': 'Inténtelo más tarde, o ingrese otra vez',
  'Log in again as the user of this run, and resume the unfinished payments':
    'Ingrese otra vez como el usuario de este comando, y retome los pagos pendientes',
  'Use a token with the scope read-user': 'Use un token con el permiso read-user',
  'Use a token with the scope read-user, or name the user yourself':
    'Use un token con el permiso read-user, o indique usted el usuario',
  'Use the profile or token of that user': 'Use el perfil o el token de ese usuario',
  "With that user's login or token": 'Con la sesión o el token de ese usuario',
  'If you are the sender': 'Si fue usted',
  'The service also does not say who the token belongs to: use a token with the scope read-user. If you are the sender':
    'El servicio tampoco dice de quién es el token: use uno con el permiso read-user. Si fue usted',
  'To continue afterwards': 'Para continuar después',
  'Ask the payee. If the new holder is right': 'Consulte al destinatario. Si el nuevo titular es correcto',
  'To see how much of the limits is used': 'Para ver cuánto de los límites se ha usado',
  'Put the file back. Or, at a terminal': 'Restaure el archivo. O, en una terminal',
  'Use the same state folder as before. Or, at a terminal': 'Use la carpeta de estado de antes. O, en una terminal',
  'Log in: {}. Or only save the URL: payctl profiles set {} --base-url <url>. Or set PAYCTL_BASE_URL.':
    'Ingrese: {}. O guarde solo la dirección: payctl profiles set {} --base-url <url>. O defina PAYCTL_BASE_URL.',
  '{} {} To set it up with questions': '{} {} Para configurar payctl con preguntas',
  'Work offline: payctl emulate, then --emulator.': 'Trabaje sin conexión: payctl emulate, y después --emulator.',
  'An emulator is running: add --emulator.': 'Hay un emulador en ejecución: agregue --emulator.',
  '{} emulators are running: add {}.': (count, flags) =>
    `Hay ${count} emuladores en ejecución: agregue ${flags.replaceAll(' or ', ' o ')}.`,
  'Once you know what has been paid, set the file aside with {} and run this command again. To find out':
    'Cuando sepa qué se ha pagado, aparte el archivo con {} y ejecute este comando otra vez. Para saberlo',
  '{} Next: {}': '{} Siguiente paso: {}',
} as const satisfies Catalogue
