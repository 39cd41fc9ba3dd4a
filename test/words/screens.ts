import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import stringWidth from 'string-width'
import { expect, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { limitedPayctl } from '../limits/limited_payctl.ts'
import { type Finished, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

// Compares the screens of a command in both languages.

export const spanish = { LANG: 'es_CR.UTF-8' }
export const english = { LANG: 'en_US.UTF-8' }

/** Runs payctl in one language; `terminal` is the width of its terminal. */
export type Run = (
  argv: readonly string[],
  language: Readonly<Record<string, string>>,
  terminal?: number,
  signal?: AbortSignal,
) => Promise<Finished>

interface Runs {
  readonly run: Run
  /** Folder with the files, the journal and the settings of the runs. */
  readonly folder: string
}

/** Runs against a service. `files`: contents by name; an argument that ends like a file is a file of the folder. */
export async function runsAt(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  files: Readonly<Record<string, string>> = {},
): Promise<Runs> {
  const folder = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const env = {
    NO_COLOR: '1',
    PAYCTL_BASE_URL: baseUrl,
    PAYCTL_TOKEN: token,
    PAYCTL_STATE_DIR: folder,
    PAYCTL_CONFIG_DIR: folder,
  }
  const run: Run = (argv, language, terminal, signal) =>
    runPayctl(
      argv.map((word) => (/\.(csv|pdf|txt|xlsx)$/.test(word) ? resolve(folder, word) : word)),
      { env: { ...env, ...language }, ...(terminal !== undefined && { terminal }), ...(signal && { signal }) },
    )
  return { run, folder }
}

/** Runs against an emulator. */
export async function runsAtEmulator(files?: Readonly<Record<string, string>>): Promise<Runs> {
  const emulator = await startEmulator({ settle: 'instant' })
  onTestFinished(() => emulator.close())
  return runsAt(emulator, files)
}

/** Runs against an emulator with completed and failed payments, and a daily limit. */
export async function runsAfterPayments(files?: Readonly<Record<string, string>>): Promise<Run> {
  const { run } = await runsAtEmulator(files)
  for (const to of ['87000001', '87000006', '87000008', 'CR73015100100000000001']) {
    await run(['payments', 'send', '--from', 'CRC', '--to', to, '--amount', '1500.25', '--yes'], english)
  }
  await run(['limits', 'set', '--per-day', '1000000', 'CRC'], english)
  return run
}

/**
 * A screen, with Spanish text that it must contain. Its command can run any number of times, because it changes
 * nothing.
 */
export type ComparedScreen = readonly [name: string, argv: readonly string[], spanish: RegExp]

/** A live profile in Spanish. The user must type an amount above `confirmAbove` CRC. */
export async function spanishLiveProfile(confirmAbove = '50') {
  const at = await limitedPayctl()
  const env = { ...at.env, ...spanish, PAYCTL_BASE_URL: '', PAYCTL_PROFILE: 'prod' }
  for (const argv of [
    ['profiles', 'set', 'prod', '--base-url', at.service.url, '--live'],
    ['limits', 'set', '--confirm-above', confirmAbove, 'CRC'],
  ]) {
    const { exitCode, stderr } = await at.start(argv, { env })
    if (exitCode !== 0) throw new Error(stderr)
  }
  return { ...at, env }
}

/** Expects equal JSON on stdout and stderr, except for values that differ between any two runs. */
export async function expectSameJson(screens: readonly ComparedScreen[], run: Run): Promise<void> {
  for (const [name, argv] of screens) {
    const [one, other] = [
      await run([...argv, '--json', '--quiet'], english),
      await run([...argv, '--json', '--quiet'], spanish),
    ]
    expect({ name, ...lasting(other) }).toEqual({ name, ...lasting(one) })
  }
}

/**
 * Expects that each screen fits the width, and is wholly Spanish. With a folder in SCREENS_FOLDER, writes the screens
 * of 80 columns side by side into its file `page`.
 */
export async function expectSpanish(
  screens: readonly ComparedScreen[],
  width: number,
  { run, page }: { readonly run: Run; readonly page: string },
): Promise<void> {
  const pairs: Pair[] = []
  for (const [name, argv, says] of screens) {
    const [there, here] = [await run(argv, english, width), await run(argv, spanish, width)]
    expect({ name, code: here.code }).toEqual({ name, code: there.code })
    const text = withoutProgress(here.stderr + here.stdout)
    const lines = text
      .split('\n')
      .filter((line) => !line.startsWith('next:') && !line.includes('payctl ') && !uuid.test(line))
    const wide = lines.filter((line) => stringWidth(line) > Math.max(width, 46) && !longWord.test(line))
    expect({ name, wide }).toEqual({ name, wide: [] })
    if (width === 80) expect(text, name).toMatch(says)
    expectNoEnglish(text, name)
    pairs.push({ name, texts: [withoutProgress(there.stderr + there.stdout), text] })
  }
  if (width === 80) writePage(page, pairs)
}

export const expectNoEnglish = (text: string, name: string): void => expect(text, name).not.toMatch(englishWords)

/** A screen in both languages. */
export interface Pair {
  readonly name: string
  readonly texts: readonly string[]
}

/** Words that only English screens have. Names of flags and columns, such as `--to`, are the same in both languages. */
const englishWords = /(?<![-\w])(the|was sent|Nothing|of your|with|and|is|are|not|rows?)(?![-\w=.])/

/** Removes lines that a terminal has replaced. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal gets
export const withoutProgress = (text: string): string => text.replace(/\u001b\[\?25l[\s\S]*?\u001b\[\?25h/g, '')

/** A word that may be longer than the line, because a key or a list of columns is never broken. */
const longWord = /\S{46}/

/** An id, which is never broken either. */
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/**
 * Parts of a result that are equal in two runs: leaves out the ids of requests and intents, and the time until
 * midnight.
 */
const lasting = ({ code, stdout, stderr }: Finished): Finished => ({
  code,
  stdout,
  stderr: stderr.replace(/"request_id":"[^"]*"/g, '').replace(/int_\w+|in \d+ h \d+ min/g, ''),
})

/** Writes the screens in both languages, side by side, if SCREENS_FOLDER names a folder. */
export function writePage(page: string, pairs: readonly Pair[]): void {
  const folder = process.env.SCREENS_FOLDER
  if (!folder) return
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const rows = pairs.map(
    ({ name, texts }) =>
      `<h2>${escaped(name)}</h2><div>${texts.map((text) => `<pre>${escaped(text)}</pre>`).join('')}</div>`,
  )
  mkdirSync(folder, { recursive: true })
  const style = 'div { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem } pre { overflow: auto }'
  writeFileSync(
    join(folder, page),
    `<!doctype html><meta charset="utf-8"><title>Screens in both languages</title><style>${style}</style>${rows.join('\n')}`,
  )
}
