import { cpSync, globSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { packed } from './packed.ts'

const { folder } = packed()

it('where SQLite can’t be loaded, the library says what to do, and works with an emulator in another process', async () => {
  const sqlite = join(folder, 'node_modules/better-sqlite3')
  rmSync(sqlite)
  cpSync(fileURLToPath(new URL('../../node_modules/better-sqlite3', import.meta.url)), sqlite, { recursive: true })
  for (const binary of globSync(`${sqlite}/**/*.node`)) truncateSync(binary)
  const script = `
    const { startEmulator, suiteEmulator } = require('payctl/emulator')
    const run = async () => {
      const refusal = await startEmulator().catch((error) => error)
      console.log(refusal.name, refusal.hint)
      const emulator = await suiteEmulator()
      const world = await emulator.world()
      console.log((await world.client.call('accounts.list')).data.length)
      await world.close()
    }
    run()`
  const payctl = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))
  const command = [payctl, 'emulate', '--', process.execPath, '-e', script]
  expect(await execa(process.execPath, command, { cwd: folder, reject: false })).toMatchObject({
    stderr: '',
    stdout: 'EmulatorRefusal Run the tests under an emulator in a separate process: npx payctl emulate -- <command>\n2',
  })
})
