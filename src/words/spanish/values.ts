import type { Catalogue } from '../text.ts'

/** Values as people write them: amounts, phones, IBANs, accounts. */
export const values = {
  '{} has 1 character; the service takes 15 to 255.': '{} tiene 1 carácter; el servicio acepta de 15 a 255.',
  '{} has {} characters; the service takes 15 to 255.': '{} tiene {} caracteres; el servicio acepta de 15 a 255.',
  'Write a longer description, or leave it out for the default description':
    'Escriba una descripción más larga, o quítela para usar la predeterminada',
  'Shorten it': 'Acórtelo',
  '{} must be an email address of at most 255 characters.':
    '{} debe ser una dirección de correo de 255 caracteres como máximo.',
  'Correct the address, or leave it out': 'Corrija la dirección, o quítela',
  '{} must be the name of the holder, of at most 255 characters.':
    '{} debe ser el nombre del titular, de 255 caracteres como máximo.',
  'Give the name, or leave it out': 'Indique el nombre, o quítelo',
  '{} must be 1 to 255 visible ASCII characters, without spaces.':
    '{} debe tener de 1 a 255 caracteres ASCII visibles, sin espacios.',
  'Leave the key out to have one generated, or use an order number or a UUID':
    'Quite la clave para que se genere una, o use un número de orden o un UUID',
  '{} is more than one payment can carry: {}.': '{} supera el máximo de un pago: {}.',

  // Amounts
  'The amount': 'El monto',
  '{} has {} characters.': '{} tiene {} caracteres.',
  'has two readings: {}': 'se puede leer de dos maneras: {}',
  '{} or {}': '{} o {}',
  'is not an amount with a decimal comma': 'no es un monto con coma decimal',
  'is not an amount with a decimal point': 'no es un monto con punto decimal',
  'is not an amount: separators must group three digits': 'no es un monto: los separadores deben agrupar tres dígitos',
  'has more than two decimals': 'tiene más de dos decimales',
  '{} is not a whole number of minor units.': '{} no es un número entero de céntimos.',
  'For 1500.25 write 150025': 'Para 1500.25 escriba 150025',
  '{} must be greater than 0.': '{} debe ser mayor que 0.',
  '{} is too large.': '{} es demasiado grande.',
  'At most 90071992547409.91 can be written': 'El máximo que se puede escribir es 90071992547409.91',
  'Write it like 1500.25': 'Escríbalo así: 1500.25',
  'Write it like 1500,25': 'Escríbalo así: 1500,25',
  'is empty': 'está vacío',
  'has no digits': 'no tiene dígitos',
  'is negative': 'es negativo',
  'has a mark in place of a character that was lost, such as ₡':
    'tiene una marca en lugar de un carácter perdido, como ₡',
  'has digits other than 0 to 9': 'tiene dígitos distintos de 0 a 9',
  'ends with "{}"': 'termina en "{}"',
  'begins with "{}"': 'empieza con "{}"',
  'looks like a date, not like an amount': 'parece una fecha, no un monto',
  'looks like {}, not like an amount': 'parece {}, no un monto',
  'has the letter {}, not only digits': 'tiene la letra {}, no solo dígitos',
  'names two currencies': 'tiene dos monedas',
  'is in {}; accounts are in CRC or USD': 'está en {}; las cuentas son en CRC o USD',
  'is not a number with at most two decimals': 'no es un número con dos decimales como máximo',
  'Write {}': 'Escriba {}',
  '{}, or name the decimal mark: {}': '{}, o indique el separador decimal: {}',
  '--decimal comma, or --decimal point': '--decimal comma, o --decimal point',
  'Did you mean {}?': '¿Quiso decir {}?',
  'Did you mean 0.{}?': '¿Quiso decir 0.{}?',

  // Phones and IBANs
  '{} has an invisible character, U+{}, at position {}.': '{} tiene un carácter invisible, U+{}, en la posición {}.',
  'Type the value again by hand: what you see may not be what payctl reads':
    'Escriba el valor otra vez a mano: puede que payctl no lea lo que usted ve',
  '{} looks like {}, not like an IBAN or a phone.': '{} parece {}, no una cuenta IBAN ni un teléfono.',
  '{} looks like {}, not like an IBAN.': '{} parece {}, no una cuenta IBAN.',
  '{} looks like {}, not like a phone.': '{} parece {}, no un teléfono.',
  '{} looks like {}.': '{} parece {}.',
  '{} looks like {}: {}.': '{} parece {}: {}.',
  '{} looks like a phone, but {}.': '{} parece un teléfono, pero {}.',
  '{} is not a phone or an IBAN.': '{} no es un teléfono ni una cuenta IBAN.',
  '{} is not a phone or an IBAN, nor the name of a saved payee.':
    '{} no es un teléfono, ni una cuenta IBAN, ni el nombre de un destinatario guardado.',
  '{} is not a phone or an IBAN: {}.': '{} no es un teléfono ni una cuenta IBAN: {}.',
  '{} is not a Costa Rican phone number: {}.': '{} no es un teléfono de Costa Rica: {}.',
  'Give an IBAN (CR05 0152 0200 1026 2840 66), a phone (8888 1234) or a saved payee (proveedor-luz)':
    'Indique una cuenta IBAN (CR05 0152 0200 1026 2840 66), un teléfono (8888 1234) o un destinatario guardado (proveedor-luz)',
  'Give an IBAN (CR05 0152 0200 1026 2840 66) or a phone (8888 1234)':
    'Indique una cuenta IBAN (CR05 0152 0200 1026 2840 66) o un teléfono (8888 1234)',
  'An IBAN looks like this: CR05 0152 0200 1026 2840 66': 'Una cuenta IBAN se ve así: CR05 0152 0200 1026 2840 66',
  'A phone looks like this: 8888 1234, or +506 8888 1234': 'Un teléfono se ve así: 8888 1234, o +506 8888 1234',
  'has a typing error: its check digits are {}, but the other digits give {}':
    'tiene un error de digitación: sus dígitos verificadores son {}, pero los demás dígitos dan {}',
  'Compare {} digit by digit with the IBAN that you were given; any of the digits may be the wrong one':
    'Compare {} dígito por dígito con la cuenta IBAN que le dieron; cualquier dígito puede ser el incorrecto',
  'is not a Costa Rican IBAN: it is empty': 'no es una cuenta IBAN de Costa Rica: está vacía',
  'is not a Costa Rican IBAN: it has 20 digits without CR before them':
    'no es una cuenta IBAN de Costa Rica: tiene 20 dígitos sin CR delante',
  'is not a Costa Rican IBAN: it has 17 digits, like the cuenta cliente that came before IBANs':
    'no es una cuenta IBAN de Costa Rica: tiene 17 dígitos, como la cuenta cliente de antes',
  'is not a Costa Rican IBAN: it begins with {}, not with CR':
    'no es una cuenta IBAN de Costa Rica: empieza con {}, no con CR',
  'is not a Costa Rican IBAN: its character {} is {}, not a digit':
    'no es una cuenta IBAN de Costa Rica: el carácter {} es {}, no un dígito',
  'is not a Costa Rican IBAN: it has {} digits after CR, not 20':
    'no es una cuenta IBAN de Costa Rica: tiene {} dígitos después de CR, no 20',
  'Ask for the IBAN. Compare it with {}, which is built from these digits':
    'Pida la cuenta IBAN. Compárela con {}, que se calculó con estos dígitos',
  'For an IBAN write: CR{}': 'Para una cuenta IBAN escriba: CR{}',
  'it has 20 digits, like an IBAN without CR': 'tiene 20 dígitos, como una cuenta IBAN sin CR',
  'it is empty': 'está vacío',
  'a spreadsheet has shortened it, and digits are lost': 'una hoja de cálculo lo acortó, y se perdieron dígitos',
  'it begins with {} and not with 506, so it is of another country': 'empieza con {} y no con 506: es de otro país',
  'it has {} in it, not only digits': 'tiene {}, no solo dígitos',
  'a phone begins with 2, 6, 7 or 8, not with {}': 'un teléfono empieza con 2, 6, 7 u 8, no con {}',
  'a phone has 8 digits, with or without 506 before them, not {}':
    'un teléfono tiene 8 dígitos, con o sin 506 delante, no {}',

  // Accounts
  '{} is empty.': '{} está vacío.',
  '{} does not name an account.': '{} no indica una cuenta.',
  '{} is too short: give at least {} characters.': '{} es muy corto: indique al menos {} caracteres.',
  '{} looks like {}, not like an account.': '{} parece {}, no una cuenta.',
  '{} matches {} of your accounts.': '{} coincide con {} de sus cuentas.',
  'They are: {}. Name one by its id, or by more of its IBAN':
    'Son: {}. Indique una por su identificador, o con más dígitos de su IBAN',
  '{} is not one of your accounts.': '{} no es una de sus cuentas.',
  '{} is not the id of one of your accounts.': '{} no es el identificador de una de sus cuentas.',
  '{} looks like {}, and is not one of your accounts.': '{} parece {}, y no es una de sus cuentas.',
  'Your accounts: {}': 'Sus cuentas: {}',
  '{}, and {} more': '{} y {} más',
} as const satisfies Catalogue
