import { expect, test } from 'vitest'
import type { Bug } from './bug.ts'
import { bugs } from './bugs.ts'
import { hunt } from './hunt.ts'

/** Patch of a line that every request executes. */
const patch = (name: string, text: string): Bug => {
  return {
    name,
    wrong: name,
    file: 'emulator/http/rate_limits.ts',
    old: 'exceeded: exhausted || used > limit,',
    new: text,
  }
}

test('planted bugs are found, a patch that changes nothing is not, and a crash is distinguished', async () => {
  const names = ['account-of-another-user', 'hold-not-released', 'sent-before-written']
  const planted = bugs.filter(({ name }) => names.includes(name))
  const patches = [patch('none', 'exceeded: used > limit || exhausted,'), patch('crash', "exceeded: JSON.parse('no'),")]
  const onEnd = () => {}

  // At present the first seeds find these bugs; after changes of the simulation other seeds may find them.
  const hunted = [...(await hunt(planted, { seeds: 64, onEnd })), ...(await hunt(patches, { seeds: 2, onEnd }))]

  const found = Object.fromEntries(hunted.map(({ bug, found }) => [bug.name, found?.crashed ?? 'not found']))
  expect(found).toEqual({ ...Object.fromEntries(names.map((name) => [name, false])), none: 'not found', crash: true })
}, 300_000)

test('a patch with which nothing starts, or that does not fit, is an error of the hunt', async () => {
  const unread = patch('unread', 'exceeded: (((')
  const find = (bug: Bug) => hunt([bug], { seeds: 1, onEnd: () => {} })

  await expect(find(unread)).rejects.toThrow('unread was not planted')
  await expect(find({ ...unread, old: 'nowhere' })).rejects.toThrow('unread was not planted')
}, 120_000)
