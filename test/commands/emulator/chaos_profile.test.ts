import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

/** A new emulator, a function that creates a world there, and a function that writes a file for it. */
async function rig() {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const folder = await temporaryDirectory()
  const create = (...flags: string[]) =>
    runPayctl(['emulator', 'worlds', 'create', ...flags, '--base-url', emulator.baseUrl], {
      env: { PAYCTL_STATE_DIR: folder },
    })
  const fileWith = (text: string) => {
    const file = join(folder, 'w.yaml')
    writeFileSync(file, text)
    return file
  }
  return { emulator, create, fileWith }
}

describe('payctl emulator worlds create --chaos-profile', () => {
  it('takes a name, or a file', async () => {
    const { emulator, create, fileWith } = await rig()
    expect((await create('--chaos', '7', '--chaos-profile', 'hostile', '--name', 'a')).code).toBe(0)
    expect(await emulator.controlOf('a').chaos()).toMatchObject({ seed: 7, profile: 'hostile' })
    expect((await create('--chaos', '8', '--chaos-profile', fileWith('resets: 0.5\n'), '--name', 'b')).code).toBe(0)
    expect(await emulator.controlOf('b').chaos()).toMatchObject({ seed: 8, counts: [{ kind: 'resets' }] })
  })

  it.each([
    ['lost_answers: 3\n', ['1:15: lost_answers: must be at most 1']],
    ['lost_answers: .nan\n', ['1:15: lost_answers: must be a number']],
    ['resets: 0.6\nunavailable: 0.5\n', ['2:14: unavailable: the shares of resets, unavailable are 1.1 together;']],
    ['resets: 0\n---\nresets: 1\n', ['2:1: begins another document; one is read']],
    ['lost_answer: 1\nlate_ms: .inf\n', ['1:14: lost_answer: is not a known field;', '2:10: late_ms: must be a whole']],
  ])('says where a file is wrong (%j), and makes nothing', async (text, faults) => {
    const { emulator, create, fileWith } = await rig()
    const file = fileWith(text)
    const { code, stdout, stderr } = await create('--chaos', '7', '--chaos-profile', file)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const lines = stderr.split('\n').filter((line) => line.startsWith(`  ${file}`))
    expect(lines).toEqual(faults.map((fault) => expect.stringContaining(`  ${file}:${fault}`)))
    expect((await emulator.control.worlds.list()).total).toBe(1)
  })

  it.each([
    [['--chaos', '7', '--chaos-profile', 'nowhere.yaml'], 'Give mild, hostile, or a profile in YAML or JSON.'],
    [['--chaos', '7', '--chaos-profile', ''], 'Give mild, hostile, or a profile in YAML or JSON.'],
    [['--chaos-profile', 'mild'], '--chaos-profile works only with --chaos.'],
  ])('%j is refused', async (flags, message) => {
    const { create } = await rig()
    const { code, stderr } = await create(...flags)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
