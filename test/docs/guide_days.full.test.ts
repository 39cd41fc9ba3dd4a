import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free_port.ts'
import { keys, openProgram, type Terminal } from '../support/terminal.ts'
import { type Block, blocksOf } from './guide_blocks.ts'
import { answersIn, Comparison, commandsOf, type Shown } from './guide_console.ts'
import { type GuideHome, guideHome } from './guide_home.ts'

interface Day {
  readonly home: GuideHome
  readonly comparison: Comparison
}

interface Beginning {
  /** Seed file of the world; default: the demo. */
  readonly seed?: string
  /** Causes the events that happened before the day of the page. */
  readonly before?: (day: Day) => Promise<void>
}

const days: Readonly<Record<string, Beginning>> = {
  'day-support.md': {
    before: async ({ home }) => {
      const payments = [
        ['8700-0001', '1500.25', 'Factura 1024, abono de noviembre'],
        ['8700-0008', '18500', 'Factura 1025, servicio de limpieza'],
        ['8700-0006', '80', 'Devolución del depósito 77'],
        ['8700-0011', '12000', 'Factura 1026, transporte de equipo'],
        ['8700-0003', '350000', 'Factura 1027, materiales'],
      ]
      for (const [to = '', amount = '', description = ''] of payments) {
        await home.run(['send', '--from', 'CRC', '--to', to, '--amount', amount, '--description', description, '--yes'])
      }
    },
  },
  'day-developer.md': {
    before: async ({ home, comparison }) => {
      const port = String(await freePort())
      const program = spawn(process.execPath, ['hook.mjs'], { cwd: home.home, env: { ...home.env, PORT: port } })
      onTestFinished(() => void program.kill())
      comparison.replace('3000/hook', `${port}/hook`)
    },
  },
  'day-treasurer.md': { seed: 'textiles.json' },
}

/** Makes reads as slow as reads from another country. */
const delays = ['--delay', '100ms', '--spread', '50ms', '--always']

describe('the days of the guide, at a terminal of 80 columns', () => {
  it.each(Object.entries(days))(
    '%s runs as it is shown',
    async (page, { seed, before }) => {
      const home = await guideHome(page)
      const comparison = new Comparison()
      const blocks = blocksOf(page)
      for (const { file, text } of blocks) if (file) writeFileSync(join(home.home, file), text)
      await home.run(['profiles', 'use', 'emulator'])
      await home.emulator(['--settle', 'instant', ...(seed === undefined ? [] : ['--seed-file', seed])])
      await before?.({ home, comparison })
      await home.run(['emulator', 'faults', 'add', '--method', 'GET', ...delays])
      if (seed) await home.run(['emulator', 'faults', 'add', 'payments.create', ...delays])
      const shown = blocks.filter(({ language }) => language === 'console')
      await follow(shown, { home, comparison })
    },
    300_000,
  )
})

/** Types the commands and answers of a page, and compares each screen with the page. */
async function follow(blocks: readonly Block[], day: Day): Promise<void> {
  let beside: Typed | undefined
  for (const { text, note } of blocks) {
    const commands = commandsOf(text)
    if (note?.kind === 'beside the next') {
      beside = type(commands[0] as Shown, note, day)
      await beside.terminal.shows(/Ctrl-C\s+stops/)
      continue
    }
    for (const shown of commands) await finish(type(shown, note, day), day)
    if (beside) await finish(beside, day)
    beside = undefined
  }
}

interface Typed {
  readonly shown: Shown
  readonly note: Block['note']
  readonly terminal: Terminal
}

function type(shown: Shown, note: Block['note'], { home, comparison }: Day): Typed {
  const settings = { cwd: home.home, env: { ...home.env, TZ: 'America/Costa_Rica' }, columns: 80 }
  return { shown, note, terminal: openProgram('/bin/bash', ['-c', comparison.run(shown.command)], settings) }
}

async function finish({ shown: { command, output }, note, terminal }: Typed, { comparison }: Day): Promise<void> {
  const { kind, reason = '' } = note ?? {}
  for (const [at, answer] of answersIn(output).entries()) {
    await terminal.answer(new RegExp(`^(?:[^]*?^✔ ){${at}}[^]*?^\\? `, 'm'), `${answer}\r`)
  }
  const isInterrupted = kind === 'Ctrl-C' || kind === 'beside the next'
  if (isInterrupted) await terminal.answer(new RegExp(reason), keys.interrupt)
  const code = await terminal.ended
  const { screen } = terminal
  const isShown = comparison.matches(output, screen, kind === 'Ctrl-C' || kind === 'numbers vary')
  expect({ command, screen }).toEqual({ command, screen: isShown ? screen : output })
  const hasFailed = code !== 0 && !(isInterrupted && code === 130)
  expect({ command, code, hasFailed, screen }).toMatchObject({ hasFailed: kind === 'fails' })
}
