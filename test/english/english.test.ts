import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findingsIn, findingsInText } from './english.ts'

/** Folders and files whose comments were edited. New ones belong here from the start. */
const edited = [
  '.build',
  'emulator',
  'src/audit',
  'src/auth',
  'src/cli',
  'src/client',
  'src/commands/*.ts',
  'src/commands/api',
  'src/commands/auth',
  'src/commands/completion',
  'src/commands/doctor',
  'src/commands/emulate',
  'src/commands/emulator',
  'src/commands/limits',
  'src/commands/login',
  'src/commands/payees',
  'src/commands/profiles',
  'src/commands/schema',
  'src/commands/webhooks',
  'src/config',
  'src/contract',
  'src/errors',
  'src/files',
  'src/index.ts',
  'src/journal',
  'src/limits',
  'src/lock',
  'src/lookups',
  'src/main.ts',
  'src/money',
  'src/output',
  'src/payees',
  'src/payments',
  'src/receipts',
  'src/run',
  'src/sheets',
  'src/testing',
  'src/values',
  'src/webhooks',
  'test/bench',
  'test/conformance',
  'test/emulator',
  'test/simulation',
]

test.each(edited)('the comments of %s are plain English', (place) => {
  const files = globSync(place.endsWith('.ts') ? place : `${place}/**/*.ts`)
  expect(files.length).toBeGreaterThan(0)
  const findings = files.flatMap((file) =>
    findingsIn(file, readFileSync(file, 'utf8')).map(({ line, text, why }) => `${file}:${line} ${text} (${why})`),
  )
  expect(findings).toEqual([])
})

test.each([
  'What a command prints.',
  'Whether a status says that nobody came.',
  'Of a page.',
  'The same for many.',
  'Prints what is told of a payment.',
  'A folder of its own.',
  'Sent anew it could be paid twice.',
  'current is no text',
  'What became of it.',
])('%j has a plainer form', (text) => {
  expect(findingsInText(text)).not.toEqual([])
})

test.each([
  'Folder of the saved worlds; null: in memory.',
  'Strips invisible characters.',
  'The path of `payctl tell`.',
  'Wait for the commit: it may still roll back.',
])('%j is plain', (text) => {
  expect(findingsInText(text)).toEqual([])
})
