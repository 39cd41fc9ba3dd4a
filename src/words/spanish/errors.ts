import type { Catalogue } from '../text.ts'

/** Errors that any command can have. */
export const errors = {
  "No help on '{}'.": "No hay ayuda sobre '{}'.",
  'The service answered {}.': 'El servicio respondió {}.',
  'No answer from {}: {}.': '{} no respondió: {}.',
  '{} The request may have been carried out: check before repeating it.':
    '{} Es posible que la solicitud se haya ejecutado: revise antes de repetirla.',
  'No service is set (profile {}).': 'El perfil {} no tiene la dirección de un servicio.',
  'No emulator is running.': 'No hay ningún emulador en ejecución.',
  'Not logged in (profile {}).': 'Falta ingresar (perfil {}).',
  "Profile '{}' was logged out meanwhile.": "La sesión del perfil '{}' se cerró mientras tanto.",
  'The login expired at {}.': 'La sesión venció: {}.',
  'Trying again in {} s: {}': 'Se intenta otra vez en {} s: {}',
  'The last lines of the audit file may be lost: {}':
    'Puede que falten las últimas líneas del archivo de auditoría: {}',
  '{} could be read by others (mode {}); now only you can read it. If somebody else uses this machine, log in again.':
    'Otros usuarios podían leer {} (modo {}); ahora solo usted puede leerlo. Si alguien más usa este equipo, ingrese otra vez.',
  "The login of profile '{}' ended with the world in which it was made: this run uses the emulator’s own token.":
    "La sesión del perfil '{}' terminó junto con el mundo en que se creó: se usa el token del emulador.",
  'The login ends at {} and could not be renewed yet: {}': 'La sesión vence ({}) y aún no se pudo renovar: {}',
  'The renewed login could not be saved, so you will have to log in again: {}':
    'No se pudo guardar la sesión renovada, así que deberá ingresar otra vez: {}',
  "The output can't be written: {}.": 'No se puede escribir la salida: {}.',
  '{} The command may have changed something at the service.':
    '{} Es posible que el comando haya cambiado algo en el servicio.',
  'Make room where the output goes, and run the command again.':
    'Libere espacio en el destino y ejecute el comando otra vez.',
  'and {} more; --json names them all': 'y {} más; --json los muestra todos',
  'line {}': 'línea {}',
  'lines {}': (lines) =>
    `líneas ${lines
      .replace(' and ', ' y ')
      .replaceAll(' to ', ' a ')
      .replace(/ rows?\)/, ' filas)')}`,
} as const satisfies Catalogue
