import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { freshMachine } from '../auth/logged_in.ts'
import { announceAll, announcementOf } from '../config/ready.ts'
import { keys, openMain, type Terminal } from '../support/terminal.ts'
import { english, expectNoEnglish, type Pair, spanish, writePage } from './screens.ts'

const { down, enter } = keys

const pairs: Pair[] = []
afterAll(() => writePage('setup_at_terminal.html', pairs))

/** An emulator that payctl may find, and a user with a shell. */
async function setUp(language: Readonly<Record<string, string>>) {
  const emulator = await startEmulator({ rateLimit: null })
  onTestFinished(emulator.close)
  const machine = await freshMachine()
  const env = { ...machine.env, ...language, HOME: machine.home, SHELL: '/bin/bash' }
  return {
    emulator,
    machine,
    env,
    open: (...argv: readonly string[]): Terminal => openMain(argv, { env, columns: 80 }),
    announce: () => announceAll(machine.env.PAYCTL_STATE_DIR, [announcementOf(emulator)]),
  }
}

type World = Awaited<ReturnType<typeof setUp>>

/**
 * Runs the same dialogue in both languages, and returns the Spanish screens: one at each question, and the last.
 * `answers`: questions with what is typed.
 */
async function compared(
  name: string,
  argv: readonly string[],
  {
    prepare,
    answers,
  }: {
    readonly prepare?: (world: World) => unknown
    readonly answers: (world: World) => readonly (readonly [english: string, spanish: string, typed: string])[]
  },
): Promise<string> {
  const screens: string[] = []
  for (const [at, language] of [english, spanish].entries()) {
    const world = await setUp(language)
    await prepare?.(world)
    const terminal = world.open(...argv)
    const seen: string[] = []
    for (const [there, here, typed] of answers(world)) {
      await terminal.shows(at === 0 ? there : here)
      seen.push(terminal.screen)
      terminal.type(typed)
    }
    expect(await terminal.ended).toBe(0)
    screens.push([...seen, terminal.screen].join('\n\n'))
  }
  pairs.push({ name, texts: screens })
  const [, screen = ''] = screens
  expectNoEnglish(screen, name)
  return screen
}

describe('payctl init in Spanish', () => {
  it('asks for service, login, account and completion', async () => {
    const screen = await compared('init', ['init'], {
      answers: ({ emulator }) => [
        ['Which service do you use?', '¿Qué servicio usa usted?', enter],
        ['Base URL:', 'Dirección del servicio:', `${emulator.baseUrl}${enter}`],
        ['How do you log in?', '¿Cómo quiere ingresar?', `${down}${enter}`],
        ['Token from the dashboard', 'Token del panel', `${emulator.token}${enter}`],
        ['Pay by default from:', 'Cuenta de origen predeterminada:', enter],
        ['Complete payctl with Tab in bash?', '¿Completar los comandos de payctl con Tab en bash?', enter],
      ],
    })

    expect(screen).toMatch(/\$ payctl login -p default --with-token/)
    expect(screen).toMatch(/Sesión iniciada como María/)
    expect(screen).toMatch(/Se agregó a ~\/\.bashrc: eval/)
    expect(screen).toContain('payctl ya está configurado. Para empezar: payctl status')
  })

  it('is Spanish as a whole with --lang es, although its steps are separate commands', async () => {
    const { open, emulator } = await setUp(english)
    const terminal = open('init', '--lang', 'es', '--base-url', emulator.baseUrl)
    await terminal.answer('¿Cómo quiere ingresar?', `${down}${enter}`)
    await terminal.answer('Token del panel', `${emulator.token}${enter}`)
    await terminal.answer('Cuenta de origen predeterminada:', `${down}${down}${down}${enter}`)
    await terminal.answer('¿Completar', `${down}${enter}`)

    expect(await terminal.ended).toBe(0)
    expectNoEnglish(terminal.screen, 'init')
  })

  it('offers the emulator that runs, and what is saved', async () => {
    const screen = await compared('init, again', ['init'], {
      async prepare({ announce, machine, emulator }) {
        announce()
        await machine.start(['profiles', 'set', 'default', '--base-url', emulator.baseUrl])
        await machine.start(['login', '--with-token'], { stdin: 'pipe', input: emulator.token })
        writeFileSync(join(machine.home, '.bashrc'), 'eval "$(payctl completion bash)"')
      },
      answers: () => [
        [', as now', ', como hasta ahora', enter],
        ['Stay logged in as María', 'Seguir con la sesión de María', enter],
        ['Pay by default from:', 'Cuenta de origen predeterminada:', `${down}${down}${down}${enter}`],
      ],
    })

    expect(screen).toContain('El emulador en http://127.0.0.1')
    expect(screen).toContain('Otro servicio: escriba la dirección')
    expect(screen).toContain('~/.bashrc ya tiene la línea para completar comandos de payctl.')
  })

  it('asks for another name where the profile is of another service', async () => {
    const screen = await compared('init, another profile', ['init'], {
      prepare: ({ machine }) => machine.start(['profiles', 'set', 'default', '--base-url', 'https://banco.example']),
      answers: ({ emulator }) => [
        ['as now', 'como hasta ahora', `${down}${enter}`],
        ['Base URL:', 'Dirección del servicio:', `${emulator.baseUrl}${enter}`],
        ['Name of a new profile:', 'Nombre de un perfil nuevo:', `default${enter}`],
        ['Profile default already exists', 'El perfil default ya existe', `${keys.backspace.repeat(7)}.x${enter}`],
        ['Give 1 to 64', 'Indique de 1 a 64', `${keys.backspace.repeat(2)}nuevo${enter}`],
        ['How do you log in?', '¿Cómo quiere ingresar?', `${down}${down}${enter}`],
        ['Complete payctl', '¿Completar', `${down}${enter}`],
      ],
    })

    expect(screen).toContain('$ payctl profiles set nuevo --base-url')
  })

  it('can skip every step', async () => {
    const screen = await compared('init, skipped', ['init'], {
      prepare: ({ env }) => Object.assign(env, { SHELL: '/bin/tcsh' }),
      answers: () => [['Which service do you use?', '¿Qué servicio usa usted?', `${down}${enter}`]],
    })

    expect(screen).toContain('Para completar comandos con Tab: payctl completion --help')
    expect(screen).toContain('No se indicó ningún servicio. Para indicar uno: payctl init')
  })
})

describe('the deletion of a profile in Spanish', () => {
  const prod = ['profiles', 'set', 'prod', '--base-url', 'https://banco.example']

  it('is asked for', async () => {
    const screen = await compared('profiles delete', ['profiles', 'delete', 'prod'], {
      prepare: ({ machine }) => machine.start(prod),
      answers: () => [
        ['Delete the profile prod', '¿Eliminar el perfil prod (https://banco.example) y la sesión', `y${enter}`],
      ],
    })

    expect(screen).toMatch(/Nombre +prod/)
  })

  it('of a live profile needs its name too', async () => {
    const screen = await compared('profiles delete, live', ['profiles', 'delete', 'prod'], {
      prepare: ({ machine }) => machine.start([...prod, '--live']),
      answers: () => [
        ['Delete the profile prod', '¿Eliminar el perfil prod', `y${enter}`],
        ['Type prod to continue:', 'Para continuar, escriba prod:', `prod${enter}`],
      ],
    })

    expect(screen).toContain('Esto amplía los límites del perfil prod: se quitan todos')
  })

  it('does not happen without a yes', async () => {
    const { open, machine } = await setUp(spanish)
    await machine.start(prod)
    const terminal = open('profiles', 'delete', 'prod')
    await terminal.answer('(s/N)', `n${enter}`)

    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain('No se confirmó: no se eliminó nada.')
    expect(readFileSync(join(machine.configDir, 'config.json'), 'utf8')).toContain('banco.example')
  })
})
