import { existsSync } from 'node:fs'
import { quoted } from '../../errors/quoted.ts'
import { type Inspection, inspectJournal } from '../../journal/inspect.ts'
import { howToUpdate } from '../../version.ts'
import type { Context } from '../context.ts'
import { closedFolder, freeSpace, modeOf, octal, unwritable } from './files.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** A commit of the journal takes kilobytes; below this a batch may not fit. */
const enough = 20 * 1024 * 1024

/** Where payments are written down before they leave. Without it none is sent. */
export function state({ stateDir }: Context): Finding {
  const obstacle = closedFolder(stateDir)
  if (obstacle) return fail('state', `${obstacle}: no payment can be sent`, elsewhere)
  const free = freeSpace(stateDir)
  if (free < enough)
    return warn('state', `${stateDir}: ${Math.floor(free / 1024 ** 2)} MiB left on its disk`, 'Make room')
  const mode = modeOf(stateDir) ?? 0
  if (mode & 0o022) {
    const detail = `${stateDir} can be changed by other users of this machine (mode ${octal(mode)})`
    return warn('state', detail, `chmod go-w ${quoted(stateDir)}`)
  }
  return ok('state', existsSync(stateDir) ? stateDir : `${stateDir}, made when it is needed`)
}

const elsewhere = {
  exit: 'usage',
  hint: 'Let this user write there, or set PAYCTL_STATE_DIR to another directory',
} as const

export function journal({ stateDir }: Context): Finding {
  try {
    return inspectJournal(stateDir, judge) ?? ok('journal', 'none yet: nothing was sent from here')
  } catch (error) {
    const hint = 'Look up recent payments with: payctl payments history. Then set the file aside'
    return fail('journal', `it can't be read: ${(error as Error).message}`, { exit: 'usage', hint })
  }
}

function judge({ file, version, newest, inDoubt }: Inspection): Finding {
  if (version > newest) {
    const told = `${file} was written by a newer payctl: nothing can be sent`
    return fail('journal', told, { exit: 'usage', hint: howToUpdate })
  }
  const obstacle = unwritable(file)
  if (obstacle) return fail('journal', `${obstacle}: no payment can be sent`, elsewhere)
  const mode = modeOf(file) ?? 0
  if (mode & 0o077) {
    return warn(
      'journal',
      `${file} can be read by other users of this machine (mode ${octal(mode)})`,
      `chmod 600 ${quoted(file)}`,
    )
  }
  const doubts = version === 0 ? 0 : inDoubt()
  if (doubts === 0) return ok('journal', `${file}, nothing unsettled`)
  const detail = `${doubts} ${doubts === 1 ? 'payment' : 'payments'} whose outcome is unknown`
  return warn('journal', detail, 'Find out what became of them: payctl payments resume')
}
