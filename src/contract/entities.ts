/** Entity codes of Costa Rican banks. No bank has 999: it is the emulator's. */
export const entities: Readonly<Record<string, string>> = {
  '100': 'Banco Central de Costa Rica',
  '102': 'BAC San José',
  '104': 'Davivienda',
  '107': 'Banco BCT',
  '114': 'Banco Lafise',
  '116': 'Banco Promérica',
  '120': 'Banco Improsa',
  '123': 'Scotiabank',
  '125': 'Banco Cathay',
  '126': 'Banco General',
  '151': 'Banco Nacional de Costa Rica',
  '152': 'Banco de Costa Rica',
  '161': 'Banco Popular',
  '803': 'Mutual Alajuela-La Vivienda',
  '804': 'Mutual Cartago',
  '813': 'Coopealianza',
  '814': 'Coopenae',
  '821': 'Caja de ANDE',
  '825': 'Coopesanramón',
  '999': 'payctl emulator',
}

export const entityOfIban = (iban: string): string => iban.slice(5, 8)

export const entityName = (code: string): string => entities[code] ?? `Entity ${code}`
