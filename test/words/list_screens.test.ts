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
  screen(
    'explain 10',
    /Tipo +código\s+de\s+salida[\s\S]*es\s+posible\s+que\s+el\s+dinero\s+se\s+haya\s+movido[\s\S]*Siguiente\s+paso +payctl/,
  ),
  screen('explain 404', /no\s+existe\s+lo\s+que\s+se\s+pidió/),
  screen('explain 421', /el\s+nombre\s+o\s+el\s+mundo\s+es\s+de\s+otro\s+servidor/),
  screen('explain completed', /el\s+destinatario\s+tiene\s+el\s+dinero/),
  screen('explain processing', /todavía\s+puede\s+completarse\s+o\s+fallar/),
  screen('explain failed', /terminó\s+sin\s+pagarse[\s\S]*no\s+se\s+sabe:\s+consulte\s+el\s+saldo/),
  screen(
    'explain rejected',
    /el\s+servicio\s+rechazó\s+el\s+pago;\s+no\s+se\s+movió\s+dinero[\s\S]*la\s+entidad\s+de\s+destino\s+rechazó\s+el\s+pago/,
  ),
  screen('explain account_closed', /la\s+cuenta\s+de\s+destino\s+está\s+cerrada/),
  screen('explain payment.failed', /El canal rechazó un pago/),
  screen('explain send-payments', /permite\s+enviar\s+y\s+validar\s+pagos/),
  screen('explain sinpe_movil', /paga\s+a\s+un\s+teléfono/),
  screen('explain CR05015202001026284066', /\(152\),\s+cuenta\s+02001026284066;\s+sus\s+dígitos\s+verificadores/),
  screen('explain CR05015202001026284067', /tiene\s+un\s+error\s+de\s+digitación:\s+sus\s+dígitos\s+verificadores/),
  screen('explain GB29NWBK60161331926819', /de\s+otro\s+país\s+\(GB\);\s+una\s+de\s+Costa\s+Rica/),
  screen('explain 88881234', /un\s+teléfono\s+de\s+Costa\s+Rica,\s+8888\s+1234/),
  screen('explain 8888123', /un\s+teléfono\s+de\s+7\s+dígitos;\s+uno\s+de\s+Costa\s+Rica/),
  screen('explain 1-0911-0345', /parece\s+un\s+documento\s+de\s+identidad/),
  screen(
    'explain 2026010537083000000000961',
    /referencia\s+de\s+un\s+pago\s+del\s+2026-01-05\s+por\s+SINPE\s+Móvil,\s+de/,
  ),
  screen('explain 2026112100001000000000001', /referencia\s+del\s+servicio\s+para\s+un\s+pago\s+del\s+2026-11-21/),
  screen('explain int_8tvxwwmszemv', /parece\s+el\s+identificador\s+de\s+un\s+intento/),
  screen('explain nada', /no\s+es\s+un\s+código,\s+estado,\s+evento/),
  screen('explain complete', /¿Quiso\s+decir\s+completed\?/),
  screen('login --base-url banco', /La dirección del servicio no es una dirección web/),
  screen('login --base-url http://a.example', /usa http con otro equipo \(a\.example\)[\s\S]*Escriba https:/),
  screen('login --base-url https://a.example --auth-url ftp://b', /La dirección de ingreso debe empezar con https/),
  screen('login --base-url https://ana:clave@a.example', /no debe tener nombre de usuario/),
  screen('login --base-url https://a.example?b', /no debe tener nada después/),
  screen('login --profile .otro --base-url https://a.example', /no puede ser el nombre de un perfil[\s\S]*de 1 a 64/),
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
    for (const line of [
      'payments history',
      'accounts list',
      'payees list',
      'phone 87000001 88881234',
      'status',
      'explain rejected',
    ]) {
      const argv = [...line.split(' '), '-o', 'csv']
      expect((await run(argv, spanish)).stdout).toBe((await run(argv, english)).stdout)
    }
  })

  it.each([40, 80, 140])('fits in a terminal of %i columns, and says everything in Spanish', async (width) => {
    await expectSpanish(screens, width, { run: await setUp(), page: 'lists.html' })
  })
})
