import { execFileSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Installation } from './installation.ts'

const expected = Array.from({ length: 2000 }, (_, line) => `${line} ${'x'.repeat(500)}\n`).join('')

/** Writes a megabyte, and waits for each write to finish. */
const talkative = `exports.main = async (argv, env, io) => {
  if (argv[0] === 'nonblocking') process.stdout // opening it makes it so
  io.stdout.on('error', (error) => io.stderr.write(error.code))
  for (let line = 0; line < 2000; line++) {
    const text = line + ' ' + 'x'.repeat(500) + '\\n'
    if (await new Promise((left) => io.stdout.write(text, left))) return 1
  }
  await new Promise((resolve) => io.stdout.write('', resolve))
  return 0
}`

it('loses nothing in a pipe', async () => {
  const result = await new Installation(talkative).run([])
  expect(result.exitCode).toBe(0)
  expect(`${result.stdout}\n` === expected).toBe(true)
})

it('loses nothing in a file', async () => {
  const installation = new Installation(talkative)
  const file = join(installation.folder, 'out')
  execFileSync(process.execPath, [installation.bin], { stdio: ['ignore', openSync(file, 'w'), 'inherit'] })
  expect(readFileSync(file, 'utf8') === expected).toBe(true)
})

it('loses nothing in a pipe that does not block', async () => {
  const result = await new Installation(talkative).run(['nonblocking'])
  expect(result.exitCode).toBe(0)
  expect(`${result.stdout}\n` === expected).toBe(true)
})

it('fails quietly when the reader goes away', async () => {
  const child = new Installation(talkative).run([])
  child.stdout.destroy()
  expect(await child).toMatchObject({ exitCode: 1, stderr: 'EPIPE' })
})
