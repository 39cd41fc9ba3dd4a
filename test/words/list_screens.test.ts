import { describe, expect, it } from 'vitest'
import {
  type ComparedScreen,
  english,
  expectSameJson,
  expectSpanish,
  type Run,
  runsAfterPayments,
  spanish,
} from './screens.ts'

// The screens of support staff: holders, lists of payments, balances, saved payees and logins in both languages.

const files: Readonly<Record<string, string>> = {
  'clientes.csv': 'Nombre;Teléfono;Cédula\nCarlos Jiménez Mora;87000001;1-0111-0222\nAna;88881234;1-1\nB;abc;\n',
  'otros.csv': 'Nombre;Otra\nx;y\n',
  'lista.txt': '87000001\n88881234\n',
}

async function setUp(): Promise<Run> {
  const run = await runsAfterPayments(files)
  await run(['payees', 'add', 'ana', '--to', '87000001'], english)
  await run(['payees', 'add', 'luz', '--to', '88881234', '--unverified'], english)
  return run
}

const screen = (line: string, says: RegExp): ComparedScreen => [line, line.split(' '), says]

const screens: readonly ComparedScreen[] = [
  screen('phone 87000001', /Titular|Nombre +Carlos[\s\S]*registrado/),
  screen('phone 88881234', /no está registrado en SINPE Móvil/),
  screen('phone 8888123', /no es un teléfono de Costa Rica/),
  screen('phone 87000001 88881234 abc', /1 de 3 no es válido\. 1 sin titular/),
  screen('iban 8700 0001', /parece un teléfono, no una cuenta IBAN/),
  screen('lookup 87000001 CR05015202001026284066 88881234', /TELÉFONO O CUENTA IBAN[\s\S]*La cuenta IBAN/),
  screen('lookup clientes.csv --name Nombre --document Cédula --force --cache none', /1 coincide\b[\s\S]*Se escribió/),
  screen('lookup otros.csv', /Ninguna columna parece tener/),
  screen('lookup clientes.csv --column Telefoni --force', /¿Quiso decir 'Teléfono'\?/),
  screen('lookup clientes.csv --sheet x --force', /no tiene hojas/),
  screen('phone clientes.csv', /es un archivo, no un\s+teléfono/),
  screen('phone --file lista.txt', /1 de 2 sin titular/),
  screen('phone --file nada.txt', /no existe ese archivo/),
  screen('payments history', /salidas[\s\S]*HOY[\s\S]*RECIBE O PAGA/),
  screen('payments history --all', /4 pagos\./),
  screen('payments history --limit 2', /2 de 4 pagos\. Para ver más/),
  screen('payments history --per-page 2', /Para ver más: --page 2, --all/),
  screen('payments history --page 9', /No existe la página 9/),
  screen('payments history --since 1d --status failed', /Desde el [\s\S]*1 de 4 pagos coincide/),
  screen('payments history --since 2020-01-01 --until 2020-01-02', /Ningún pago coincide/),
  screen('payments history --amount 9..2', /empieza con el monto mayor/),
  screen('payments history --status nada', /no\s+es\s+ninguno\s+de\s+estos/),
  screen('payments history --since 03/04/2026', /Escriba\s+primero\s+el\s+año/),
  screen('payments history --page 1 --status failed', /no filtra\s+por/),
  screen('payments find carlos', /Se encontraron 2 por nombre o detalle/),
  screen('payments find nadie', /Ningún pago coincide/),
  screen('payments watch last', /completado/),
  screen('payments validate --from CRC --to 87000001 --amount 5', /Comisión/),
  screen('payments service-status', /PIN disponible +sí/),
  screen('payments receipt fffff', /Ningún pago tiene/),
  screen('payments nada', /No existe el comando/),
  screen('status', /En proceso +ninguno[\s\S]*hoy quedan/),
  screen('accounts list', /SALDO +ESTADO +TITULAR/),
  screen('accounts get CRC', /Titular +María/),
  screen('accounts get', /Falta la cuenta/),
  screen('accounts balance USD', /Saldo/),
  screen('accounts list --page 7', /No existe la página 7/),
  screen('payees list', /NOMBRE +TITULAR/),
  screen('payees show ana', /Verificado/),
  screen('payees show anna', /¿Quiso decir ana\?/),
  screen('payees add ana --to 87000001', /ya existe/),
  screen('payees verify luz', /no indica un titular/),
  screen('payees rename ana luz', /No se cambió nada/),
  screen('auth status', /Origen +PAYCTL_TOKEN/),
  screen('auth refresh', /no hay nada\s+que renovar/),
  screen('logout', /no tenía una sesión/),
  screen('login --base-url banco', /La dirección del servicio no es una dirección web/),
  screen('login --base-url http://a.example', /es http de otro equipo \(a\.example\)[\s\S]*Escriba https:/),
  screen('login --base-url https://a.example --auth-url ftp://b', /La dirección de ingreso debe empezar con https/),
  screen('login --base-url https://ana:clave@a.example', /no debe tener un nombre de usuario/),
  screen('login --base-url https://a.example?b', /no debe tener nada después/),
  screen('login --profile .otro --base-url https://a.example', /no puede ser el nombre de un perfil[\s\S]*hasta 64/),
  screen('phone 87000001 --nada', /No existe la opción/),
  screen('phone 87000001 --concurrency 99', /un\s+número\s+entero\s+de\s+1\s+a\s+32/),
  screen('payments history --channel nada', /Los\s+valores\s+posibles\s+son/),
  screen('payments history extra', /no acepta argumentos/),
]

describe('A run under es_CR.UTF-8', () => {
  it('prints the same JSON, byte for byte', async () => {
    await expectSameJson(screens, await setUp())
  })

  it('prints the same csv', async () => {
    const run = await setUp()
    for (const line of ['payments history', 'accounts list', 'payees list', 'phone 87000001 88881234', 'status']) {
      const argv = [...line.split(' '), '-o', 'csv']
      expect((await run(argv, spanish)).stdout).toBe((await run(argv, english)).stdout)
    }
  })

  it.each([40, 80, 140])('fits in a terminal of %i columns, and says everything in Spanish', async (width) => {
    await expectSpanish(screens, width, { run: await setUp(), page: 'lists.html' })
  })
})
