import type { Catalogue } from '../../text.ts'

/** `status`, `accounts`, `limits`, `audit`, `fx`, `user`. */
export const money = {
  'Show balances, payments in progress, and limits': 'Muestra saldos, pagos en proceso y límites',
  'Show on one screen where payments go, the balance of each account, payments in progress among the newest 100, payments of this machine that are in doubt or not sent, and how much the limits still allow today.':
    'Muestra en una pantalla adónde van los pagos, el saldo de cada cuenta, los pagos en proceso entre los últimos 100, los pagos de este equipo sin confirmar o sin enviar, y lo que los límites permiten hoy.',

  // accounts
  'List and open accounts, and show balances': 'Muestra y abre cuentas, y consulta saldos',
  'List your accounts with their balances, oldest first':
    'Muestra sus cuentas y el saldo de cada una, primero las más antiguas',
  'Open an account. Asks for the currency at a terminal': 'Abre una cuenta. En una terminal pregunta la moneda',
  'Show one account': 'Muestra una cuenta',
  'Show the balance of an account': 'Muestra el saldo de una cuenta',
  'accounts on a page, 1 to 1000': 'cuentas por página, de 1 a 1000',
  'currency of the account': 'moneda de la cuenta',
  'IBAN, id, the end of either, or currency (default: the profile’s account, or your only account)':
    'IBAN, id, el final de uno de ellos o moneda (predeterminado: la cuenta del perfil, o su única cuenta)',

  // limits
  'Show and set limits of profiles': 'Muestra y fija los límites de los perfiles',
  'Show the limits of profiles, and how much of them is used today. Limits apply to send, batch, resume and api, and to every profile and flag that leads to the same service with the same user. Anybody may tighten limits; only a person at a terminal can loosen limits. Limits protect against mistakes, and against scripts and agents that have only this command line, but not against anyone who can change payctl’s files or read its tokens. Limits do not apply to programs that use the library.':
    'Muestra los límites de los perfiles y cuánto se ha usado hoy. Los límites rigen para send, batch, resume y api, y para todo perfil u opción que llegue al mismo servicio con el mismo usuario. Cualquiera puede reducirlos; solo una persona en una terminal puede ampliarlos. Protegen contra errores, y contra scripts y agentes que solo tienen esta línea de comandos, pero no contra quien pueda cambiar los archivos o leer los tokens de payctl. No rigen para los programas que usan la biblioteca.',
  'Set limits of the profile in use, or tighten them': 'Define los límites del perfil en uso, o los reduce',
  'Set limits of the profile in use; other limits do not change. Amounts are in the currency named at the end, or next to each amount: "500000 CRC". Once a limit names a currency, payments in other currencies are refused. A day is a calendar day in Costa Rica. Only a person at a terminal can loosen a limit.':
    'Define límites del perfil en uso; los demás no cambian. Los montos van en la moneda indicada al final, o junto a cada uno: "500000 CRC". Cuando un límite tiene moneda, se rechazan los pagos en otras. El día es el día calendario de Costa Rica. Solo una persona en una terminal puede ampliar un límite.',
  'currency of all amounts: CRC or USD': 'moneda de todos los montos: CRC o USD',
  'maximum for one payment': 'máximo por pago',
  'maximum for all payments of a day in Costa Rica': 'máximo de todos los pagos de un día en Costa Rica',
  'maximum for the payments of a day to one payee': 'máximo por día a un mismo destinatario',
  'amount above which a live profile refuses --yes: a person must type the amount':
    'por encima de este monto, un perfil con dinero real no acepta --yes: una persona debe escribir el monto',
  'IBAN, phone or saved payee; only allowed payees can be paid; repeatable':
    'IBAN, teléfono o destinatario guardado; solo se puede pagar a los permitidos; se puede repetir',
  'hours for payments, in Costa Rica: 08:00-17:00': 'horario de pagos, hora de Costa Rica: 08:00-17:00',
  'allow no payment and no other change': 'no permite pagos ni otros cambios',
  'Remove limits (at a terminal)': 'Quita límites (en una terminal)',
  'Remove limits of the profile in use. A person at a terminal must type the name of the profile.':
    'Quita límites del perfil en uso. Una persona debe escribir el nombre del perfil en una terminal.',
  'per-payment, per-day, per-payee-day, confirm-above, payees, hours, read-only, all':
    'per-payment, per-day, per-payee-day, confirm-above, payees, hours, read-only, all',
  'Restart the counts at zero, in this journal (at a terminal)':
    'Reinicia los contadores en cero, en este registro de pagos (en una terminal)',
  'Restart the counts of all profiles at zero, in the journal of this state folder. Use this command after the journal was moved or lost, or a clock was wrong. A person at a terminal must type the name of the profile in use.':
    'Reinicia en cero los contadores de todos los perfiles, en el registro de pagos de esta carpeta de estado. Úselo si el registro se movió o se perdió, o si un reloj estaba mal. Una persona debe escribir el nombre del perfil en uso en una terminal.',

  // audit
  'List what payctl was asked to do, and who agreed': 'Muestra qué se le pidió a payctl, y quién lo aprobó',
  'List what payctl was asked to do on this machine, and who agreed: each payment (before it is sent, and its result), each refusal by limits, each loosening of limits. Oldest first. payctl only appends to the file; it never cuts or rotates it. The owner of the file can change it. An amount without a currency is in the account’s currency, which payctl did not know yet.':
    'Muestra qué se le pidió a payctl en este equipo, y quién lo aprobó: cada pago (antes de enviarlo, y su resultado), cada rechazo por límites y cada ampliación de límites. Primero lo más antiguo. payctl solo agrega líneas al archivo; nunca lo recorta ni lo reemplaza. El dueño del archivo puede cambiarlo. Un monto sin moneda está en la moneda de la cuenta, que payctl aún no conocía.',
  'number of newest lines to show': 'cantidad de líneas, desde la más reciente',

  // fx, user
  'Show exchange rates, in colones per dollar': 'Muestra el tipo de cambio, en colones por dólar',
  'Show exchange rates, in colones per dollar: the service buys dollars at the bid and sells them at the ask.':
    'Muestra el tipo de cambio, en colones por dólar: el servicio compra dólares al precio de compra (bid) y los vende al de venta (ask).',
  'Show the rates of the service': 'Muestra el tipo de cambio del servicio',
  'Show the rates of the service, in colones per dollar: the service buys dollars at the bid and sells them at the ask. Same as payctl fx.':
    'Muestra el tipo de cambio del servicio, en colones por dólar: compra dólares al precio de compra (bid) y los vende al de venta (ask). Es lo mismo que payctl fx.',
  'Show the rates of the provider, without the service’s spread':
    'Muestra el tipo de cambio del proveedor, sin el margen del servicio',
  'Show the rates of the provider, without the service’s spread. The name of the provider is part of the request: it comes from --provider, PAYCTL_FX_PROVIDER or the profile. Default: upstream.':
    'Muestra el tipo de cambio del proveedor, sin el margen del servicio. El nombre del proveedor es parte de la solicitud: viene de --provider, de PAYCTL_FX_PROVIDER o del perfil. Predeterminado: upstream.',
  'name of the provider at this service': 'nombre del proveedor en este servicio',
  'Show your user at the service': 'Muestra su usuario en el servicio',
  'Show the user to whom the token belongs': 'Muestra el usuario al que pertenece el token',
} as const satisfies Catalogue
