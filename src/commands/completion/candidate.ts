import type { Command } from 'commander'
import { printable } from '../../run/sanitise.ts'

/** A word that may stand at the cursor, with what people read beside it. */
export interface Candidate {
  readonly value: string
  readonly about?: string
}

/** What can stand at the cursor; `files`: the shell knows better. */
export type Candidates = readonly Candidate[] | 'files'

/** In one line, as the help of its parent lists it. */
export const candidateOf = (command: Command): Candidate => ({
  value: command.name(),
  about: (command.summary() || command.description()).replace(/\.$/, ''),
})

/**
 * Words that mean no more than themselves to every shell, whatever stands around them. All others are left out, so that
 * no name, however it was chosen and by whom, can become a command.
 */
const inert = /^[A-Za-z0-9-][A-Za-z0-9._=/:-]*$/

const longestAbout = 100

/**
 * A line for each candidate: value, tab, description. What is asked of the shell instead is a line that starts with a
 * colon. A value comes once: of two lines that begin alike bash types the beginning, and that would go on into the
 * description.
 */
export function answer(candidates: Candidates, typed: string): string {
  if (candidates === 'files') return ':files\n'
  const fitting = candidates.filter(({ value }) => value.startsWith(typed) && inert.test(value))
  return [...new Map(fitting.map((candidate) => [candidate.value, candidate])).values()]
    .map(({ value, about = '' }) => `${value}\t${description(about)}\n`)
    .join('')
}

function description(about: string): string {
  const characters = Array.from(printable(about).replace(/\s+/g, ' ').trim())
  return characters.length > longestAbout ? `${characters.slice(0, longestAbout - 1).join('')}…` : characters.join('')
}
