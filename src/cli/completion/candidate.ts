import type { Command } from 'commander'
import { printable } from '../../run/sanitise.ts'

/** A word that can be inserted at the cursor, and its description. */
export interface Candidate {
  readonly value: string
  readonly about?: string
}

/**
 * Candidates for the word at the cursor. `files`: the shell completes file names. `orFile`: the shell completes file
 * names if none of these words matches.
 */
export type Candidates = readonly Candidate[] | 'files' | { readonly orFile: readonly Candidate[] }

/** The command's name as a word to insert, described in one line. */
export const candidateOf = (command: Command): Candidate => ({
  value: command.name(),
  about: (command.summary() || command.description()).replace(/\.$/, ''),
})

/**
 * Words without a special meaning in any shell: letters of any language, digits and some signs. Candidates with other
 * characters are left out, so that no name from a service can become a shell command.
 */
const inert = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}0-9-][\p{L}\p{M}\p{Nd}._=/:-]*$/u

const files = ':files\n'

const longestAbout = 100

/**
 * A line for each candidate: value, tab, description. A line that starts with a colon asks the shell for other words:
 * `:files` asks for file names. Each value is printed once: if two lines had the same value, bash would insert the text
 * that both lines have in common, including the start of the description.
 */
export function answer(candidates: Candidates, typed: string): string {
  if (candidates === 'files') return files
  const words = 'orFile' in candidates ? candidates.orFile : candidates
  const fitting = words.filter(({ value }) => value.startsWith(typed) && inert.test(value))
  if ('orFile' in candidates && fitting.length === 0) return files
  return [...new Map(fitting.map((candidate) => [candidate.value, candidate])).values()]
    .map(({ value, about = '' }) => `${value}\t${description(about)}\n`)
    .join('')
}

function description(about: string): string {
  const characters = Array.from(printable(about).replace(/\s+/g, ' ').trim())
  return characters.length > longestAbout ? `${characters.slice(0, longestAbout - 1).join('')}…` : characters.join('')
}
