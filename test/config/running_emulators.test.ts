import { spawnSync } from 'node:child_process'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { announce, runningEmulators } from '../../src/config/running_emulators.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { ready } from './ready.ts'

const files = (stateDir: string) => readdir(join(stateDir, 'emulators'))

it('none is running where nothing was announced', async () => {
  expect(runningEmulators(join(await temporaryDirectory(), 'missing'))).toEqual([])
})

it('an announced emulator is found until it is forgotten', async () => {
  const stateDir = await temporaryDirectory()
  const forget = announce(stateDir, ready())
  expect(runningEmulators(stateDir)).toEqual([ready()])
  await forget()
  expect(runningEmulators(stateDir)).toEqual([])
  expect(await files(stateDir)).toEqual([])
})

it('the announcement is for its owner only', async () => {
  const stateDir = join(await temporaryDirectory(), 'state')
  announce(stateDir, ready())
  const modes = ['emulators', `emulators/${process.pid}.json`].map(
    async (name) => (await stat(join(stateDir, name))).mode,
  )
  expect((await Promise.all(modes)).map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600'])
})

it('the newest comes first', async () => {
  const stateDir = await temporaryDirectory()
  announce(stateDir, ready())
  announce(stateDir, ready({ pid: process.ppid }))
  await utimes(join(stateDir, 'emulators', `${process.ppid}.json`), 1, 1)
  expect(runningEmulators(stateDir).map(({ pid }) => pid)).toEqual([process.pid, process.ppid])
})

it('what dead emulators and broken writes left is removed', async () => {
  const stateDir = await temporaryDirectory()
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  announce(stateDir, ready({ pid }))
  await writeFile(join(stateDir, 'emulators', '999999.json'), '{"event"')
  expect(runningEmulators(stateDir)).toEqual([])
  expect(await files(stateDir)).toEqual([])
})
