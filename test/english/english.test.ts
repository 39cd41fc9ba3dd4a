import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as contract from '../../src/contract/index.ts'
import { emulatorDocument, serviceDocument } from '../../src/contract/openapi.ts'
import { findingsIn, findingsInDescription, findingsInMessages, findingsInPage, findingsInText } from './english.ts'

const folders = globSync(['.build', 'bin', 'emulator', 'src/*', 'test/*'])

/** Tests of the ecosystem install packages and generate code in their folders. */
const filesIn = (place: string) =>
  /\.ts$/.test(place)
    ? [place]
    : globSync(`${place}/**/*.{ts,tsx,js,cjs,mjs}`, {
        exclude: ['**/node_modules/**', '**/generated/**', '**/msw/v*/guide/**'],
      })

test.each(folders)('the comments of %s are plain English', (place) => {
  const findings = filesIn(place).flatMap((file) =>
    findingsIn(file, readFileSync(file, 'utf8')).map(({ line, text, why }) => `${file}:${line} ${text} (${why})`),
  )
  expect(findings).toEqual([])
})

test.each(folders.filter((place) => !place.startsWith('test/')))('the messages of %s are plain English', (place) => {
  const findings = filesIn(place).flatMap((file) =>
    findingsInMessages(file, readFileSync(file, 'utf8')).map(
      ({ line, text, why }) => `${file}:${line} ${text} (${why})`,
    ),
  )
  expect(findings).toEqual([])
})

/** Summaries and descriptions in a document, with their places. */
function* descriptionsIn(node: unknown, place = ''): Generator<{ place: string; text: string }> {
  if (typeof node !== 'object' || node === null) return
  for (const [name, member] of Object.entries(node)) {
    if (name === 'examples' || name === 'example') continue
    if (typeof member !== 'string') yield* descriptionsIn(member, `${place}/${name}`)
    else if (name === 'description' || name === 'summary') yield { place, text: member }
  }
}

const { errorStatuses, oauthErrors, scopes, eventSummaries, reportChecks, ChaosProfile, SeedFile } = contract

test.each([
  ['the service', serviceDocument()],
  ['the emulator', emulatorDocument('1.2.3')],
  ['seed files', SeedFile],
  ['chaos profiles', ChaosProfile],
])('the descriptions of %s are plain English', (_, document) => {
  const descriptions = [...descriptionsIn(document)]
  expect(descriptions.length).toBeGreaterThan(10)
  const findings = descriptions.flatMap(({ place, text }) =>
    findingsInDescription(text).map(({ why }) => `${place}: ${text} (${why})`),
  )
  expect(findings).toEqual([])
})

test('the names of statuses, errors, scopes, events and checks have descriptions in plain English', () => {
  const texts = [errorStatuses, oauthErrors, scopes, eventSummaries, reportChecks].flatMap((one) => Object.values(one))
  expect(texts.filter((text) => findingsInDescription(text).length > 0)).toEqual([])
})

const pages = globSync(['*.md', 'docs/*.md', 'docs/guide/*.md', 'docs/decisions/*.md'])

test.each(pages)('%s is plain English', (page) => {
  const findings = findingsInPage(readFileSync(page, 'utf8'))
  expect(findings.map(({ line, text, why }) => `${page}:${line} ${text} (${why})`)).toEqual([])
})

test.each(["throw new UsageError('A profile is told by its name.')", 'hint(`The file is written anew each time.`)'])(
  'the message of %s has a plainer form',
  (source) => {
    expect(findingsInMessages('a.ts', source)).toHaveLength(1)
  },
)

test.each([
  "find('anew')",
  "toRun('payctl limits count-anew')",
  "throw new UsageError('There is no account of this name.')",
  'run(`SELECT what FROM became WHERE told IS NULL -- once more`)',
])('the message of %s is plain', (source) => {
  expect(findingsInMessages('a.ts', source)).toEqual([])
})

test('a page is read by paragraph and list item, without its code and quotations', () => {
  const page = 'Plain.\n\n```sh\ntell\n```\n<!-- tell -->\n- `tell` and “is told”\n- Each has a port\n  of its own.\n'
  expect(findingsInPage(page)).toMatchObject([{ line: 8, why: 'its own; separate' }])
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
  'A page is not taken for an answer.',
  'The world exists already.',
  'Requests are answered 410.',
  'Waits until nothing is due any more.',
  'It was not submitted yet.',
  'What became of it.',
  'Null if there is no limit.',
  'An interruption is no failure.',
])('%j has a plainer form', (text) => {
  expect(findingsInText(text)).not.toEqual([])
})

test.each(['When it was made, UTC', 'Why it failed', 'Which page, from 1', 'Whether it is online', 'In words only'])(
  'the description %j has a plainer form',
  (text) => {
    expect(findingsInDescription(text)).not.toEqual([])
  },
)

test.each(['Time of creation, UTC', 'Reason for the failure', 'Number of the page, from 1', 'True if it is online'])(
  'the description %j is plain',
  (text) => {
    expect(findingsInDescription(text)).toEqual([])
  },
)

test.each([
  'Folder of the saved worlds; null: in memory.',
  'Strips invisible characters.',
  'The path of `payctl tell`.',
  'Wait for the commit: it may still roll back.',
  'Money was taken for it.',
  'No more files can be opened: any more files fail.',
  'Drops ids that are no longer among the keys, if the answer is no.',
  'Answers "There is no world" to a request.',
])('%j is plain', (text) => {
  expect(findingsInText(text)).toEqual([])
})
