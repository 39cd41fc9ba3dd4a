import { appendFile, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Context } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { askChoice } from '../../cli/prompts.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { makeFolder } from '../../files/directories.ts'
import { fileFault } from '../../files/file_fault.ts'
import { say } from '../../words/text.ts'
import { startupLines } from '../completion.ts'

const help = toRun(['completion', '--help'])

/** If the user agrees, adds a line to the startup file of the user's shell; the line loads completion. */
export async function addCompletion(context: Context): Promise<void> {
  const { env, output, globals, translate } = context
  const shell = basename(env.SHELL ?? '')
  const startup = isKnown(shell) ? startupLines[shell] : undefined
  if (!startup) {
    output.note(withHint('To complete payctl with Tab', help, globals, translate))
    return
  }
  const { file, line } = startup
  const path = join(env.HOME ?? homedir(), file)
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw unusable(path, error)
  })
  if (/payctl completion/.test(before)) {
    output.note(say`${`~/${file}`} already sets up completion for payctl.`)
    return
  }
  const yes = await askChoice(
    {
      message: say`Complete payctl with Tab in ${shell}?`,
      choices: [
        { value: true, name: say`Yes: add a line to ${`~/${file}`}`, description: line },
        { value: false, name: say`No` },
      ],
    },
    context,
  )
  if (!yes) return
  try {
    makeFolder(dirname(path), 0o777)
    await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`)
  } catch (error) {
    throw unusable(path, error as Error)
  }
  output.note(say`Added to ${`~/${file}`}: ${line}. Open a new terminal to use completion.`)
}

const isKnown = (shell: string): shell is keyof typeof startupLines => Object.hasOwn(startupLines, shell)

const unusable = (path: string, error: Error): UsageError =>
  new UsageError(
    say`${path} can't be changed: ${fileFault(error)}.`,
    toRun(['completion', '--help'], 'Add the line yourself'),
  )
